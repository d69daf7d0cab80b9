import type { CheckpointStrategy, EventStore, JsonObject, ModelRequest, StoredEvent } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { type RunRecord, recordOf, recordTexts } from "../../src/index.ts";
import { plans, reviews, searchBoth, type World, worldOf } from "./world.ts";

export const people = [
  { id: "u-17", label: "Alex Chen", detail: "Finance" },
  { id: "u-23", label: "Alex Moreau", detail: "Sales" },
];

/** The story of the two Alexes: a question, two searches, a review that adds a search, and an answer. */
export const story = {
  small: (): Reply[] => [
    plans({ status: "needs_clarification", question: { text: "Which Alex?", about: "Alex" } }),
    plans(),
    reviews({ notes: "Search for the budget too." }),
  ],
  main: [
    searchBoth[0] as Reply,
    {
      tools: [
        { name: "search_gmail", input: { query: "budget" } },
        { name: "search_gmail", input: { query: "Q4" } },
      ],
    },
    { text: "Alex is optimistic." },
  ] satisfies Reply[],
};

/**
 * A world in which the models answer by what they are asked, so that a call that is repeated after a crash gets
 * the same answer.
 */
export function storyWorld(store?: EventStore, checkpointWhen: CheckpointStrategy[] = []): World {
  const [first, second, review] = story.small() as [Reply, Reply, Reply];
  const small = ({ messages }: ModelRequest): Reply => {
    const asked = JSON.stringify(messages);
    if (asked.includes("<ToolCallHistory>")) return review;
    return asked.includes("<Clarifications>") ? second : first;
  };
  return worldOf(
    { small, main: (answers) => story.main[answers] ?? { text: "?" } },
    { choices: () => people, review: { everyCalls: 100 } },
    { ...(store && { store }), onError: () => {}, agent: { checkpointWhen } },
  );
}

/** Replaces all but the last entry by a summary, once, before the third turn. */
export const summarized: CheckpointStrategy = ({ entries, run }) => {
  const last = entries.at(-1);
  const isOver = JSON.stringify(entries[0]?.blocks).includes("So far:");
  if (run.turns !== 2 || isOver || last === undefined) return undefined;
  return { reason: "summary", fromSeq: last.seq, summary: "So far: two searches." };
};

/** The texts in the notes of a prompt, by tag: the last `<Plan>`, and all lines of the others, if there are any. */
export function saidIn(prompt: string): JsonObject {
  const all = (tag: string) =>
    [...prompt.matchAll(new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, "g"))].map(
      ([, text]) => text ?? "",
    );
  return {
    Plan: all("Plan").at(-1) ?? "",
    Clarifications: all("Clarifications").join("\n"),
    ToolCallHistory: all("ToolCallHistory").join("\n"),
    Review: all("Review").join("\n"),
  };
}

/** What the record says at an event. */
export function textsAt(log: readonly StoredEvent[], uptoSeq: number): JsonObject {
  return { ...recordTexts(recordOf(log.filter(({ seq }) => seq <= uptoSeq))) };
}

/** A record without times, costs of time and numbers of events: what must be the same after a crash. */
export function timeless(record: RunRecord): unknown {
  const { calls, clarifications, reviews: done, plan, fragments, messages, stop, strikes, planned } = record;
  return {
    ...{ plan, fragments, strikes, stop: stop?.type, snapshots: planned?.count },
    messages: messages.map(({ text }) => text),
    calls: calls.map(({ tool, status, skipped, summary, arguments: input, costUsd }) => ({
      ...{ tool, status, skipped, summary, input, costUsd },
    })),
    clarifications: clarifications.map(({ call_id: _id, seq: _seq, ...one }) => one),
    reviews: done.map(({ turn: _turn, seq: _seq, ...one }) => one),
  };
}
