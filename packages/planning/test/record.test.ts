import {
  type CheckpointStrategy,
  type ContentBlock,
  type EventStore,
  memoryStore,
  type StoredEvent,
  textOf,
} from "@pawl/core";
import { describe, expect, it } from "vitest";
import { newRecord, recordOf, recordTexts, withEvent } from "../src/index.ts";
import { saidIn, storyWorld, textsAt } from "./support/story.ts";
import { plans, searchBoth, type World, worldOf } from "./support/world.ts";

/** Compares what each request said with the record that is folded from the log up to that request. */
async function expectPromptsEqualRecord(world: World, sessionId: string): Promise<number> {
  const log = await world.log(sessionId);
  const asked = log.filter((event) => event.type === "llm_request");
  expect(asked).toHaveLength(world.model.requests.length);
  for (const [at, { data }] of asked.entries()) {
    const messages = world.model.requests[at]?.messages ?? [];
    const prompt = messages.map(({ content }) => textOf(content as ContentBlock[])).join("\n");
    const { upto_seq } = (data as { prompt: { upto_seq: number } }).prompt;
    expect(saidIn(prompt)).toEqual(textsAt(log, upto_seq));
  }
  return asked.length;
}

describe("the record of a run", () => {
  it("M3 M8 C10 is folded from the log alone, and equals what each prompt said", async () => {
    const world = storyWorld();
    const { sessionId, stop } = await world.answer(await world.say("What does Alex say about Q4?"), {
      choice: "u-17",
    });
    expect(stop.type).toBe("end_turn");
    expect(await expectPromptsEqualRecord(world, sessionId)).toBe(3);
    expect(textsAt(await world.log(sessionId), Number.POSITIVE_INFINITY)).toMatchObject({
      Clarifications: "- Which Alex? → Alex Chen (Finance)",
      Review: "- Search for the budget too.\n- Search for the budget too.",
    });
  });

  it("M8 every plan is kept, so that each of them can be replayed", async () => {
    const world = storyWorld();
    const { sessionId } = await world.answer(await world.say("Alex?"), { choice: "u-17" });
    const log = await world.log(sessionId);
    const states = log
      .filter(({ type }) => type === "planning.plan")
      .map(({ seq }) => recordOf(log.filter((event) => event.seq <= seq)))
      .map(({ planned, ambiguityResolved, plan }) => [
        ...[planned?.by, planned?.count, ambiguityResolved],
        plan?.tasks.map(({ status }) => status).join(),
      ]);
    expect(states).toEqual([
      ["planner", 1, false, "pending,pending,pending"],
      ["planner", 2, true, "pending,pending,pending"],
      ["progress", 3, true, "done,done,pending"],
    ]);
  });

  it("M3 M8 of a retry has no stop of the run that it retries", () => {
    const start = { agent: "searcher", agent_version: "1" };
    const events = [
      { type: "run_started", data: { run_id: "r1", ...start } },
      { type: "planning.stopped", data: { run_id: "r1", code: "blocked", message: "It is blocked." } },
      { type: "run_ended", data: { run_id: "r1", stop: { type: "blocked", message: "It is blocked." } } },
      { type: "run_started", data: { run_id: "r2", ...start, retry_of: "r1" } },
    ].map((event, n) => ({ sessionId: "s", seq: n + 1, v: 1, at: "", ...event }) as unknown as StoredEvent);
    expect(recordOf(events.slice(0, 3))).toMatchObject({ runId: "r1", stopped: { code: "blocked" } });
    expect(recordOf(events)).toMatchObject({ runId: "r2", stop: undefined, stopped: undefined });
  });

  it("M3 M4 T11 T13 has each call with its cost, connector, fragments, error and reason to be skipped", async () => {
    const main = [
      ...searchBoth.slice(0, 1),
      {
        tools: [
          { name: "search_gmail", input: { query: "Q4" } },
          { name: "search_slack", input: { query: "Q3" } },
          { name: "summarize", input: {} },
        ],
      },
      { tools: [{ name: "summarize", input: {} }] },
      { text: "Fine." },
    ];
    let slack = 0;
    const world = worldOf(
      { small: [plans()], main },
      {},
      { fails: (tool) => tool === "search_slack" && ++slack === 2 },
    );
    const { sessionId } = await world.say("Q4?");
    const { calls, fragments } = await world.record(sessionId);
    expect(calls.map(({ tool, status, skipped, error }) => [tool, status, skipped ?? error?.code])).toEqual([
      ["search_gmail", "success", undefined],
      ["search_slack", "success", undefined],
      ["search_gmail", "skipped", "duplicate"],
      ["search_slack", "error", "ECONNREFUSED"],
      ["summarize", "skipped", "waiting"],
      ["summarize", "success", undefined],
    ]);
    expect(calls[0]).toMatchObject({
      ...{ connector: "gmail", costUsd: 0.002, summary: "1 hit for Q4", fragments: ["gmail-1"] },
      ...{ agent: "searcher", arguments: { query: "Q4" } },
    });
    expect(calls[0]?.durationMs).toBeTypeOf("number");
    expect(fragments).toEqual(["gmail-1", "slack-1"]);
    expect(world.searched).toEqual(["search_gmail: Q4", "search_slack: Q4", "search_slack: Q3"]);
    const history = saidIn(JSON.stringify(world.model.requests.at(-1)?.messages).replaceAll("\\n", "\n"));
    expect(history.ToolCallHistory).toMatch(
      /1\. search_gmail \(success, gmail, 1 found, \d+ ms, \$0\.0020\)/,
    );
    expect(await expectPromptsEqualRecord(world, sessionId)).toBe(4);
  });

  it("C10 C13 a note has only what is new, and nothing that was sent changes", async () => {
    const world = storyWorld();
    await world.answer(await world.say("Alex?"), { choice: "u-17" });
    const prompts = world.model.requests.map(({ messages }) => JSON.stringify(messages));
    for (const [at, prompt] of prompts.entries())
      if (at > 0)
        expect(
          prompt.startsWith((prompts[at - 1] ?? "").slice(0, -2).replace(/,"cache_control".*$/, "")),
        ).toBe(true);
    const last = prompts.at(-1) ?? "";
    expect(last.match(/Alex Chen \(Finance\)/g)).toHaveLength(1);
    expect(last.match(/1\. search_gmail \(/g)).toHaveLength(1);
  });

  it("C11 C10 M3 is in the next request again after a summary has replaced its notes", async () => {
    const again = { tools: [{ name: "search_gmail", input: { query: "budget" } }] };
    let asked = 0;
    const replaced: CheckpointStrategy = ({ entries }) => {
      asked += 1;
      const last = entries.at(-1);
      if (asked !== 3 || last === undefined) return undefined;
      return { reason: "summary", fromSeq: last.seq, summary: "Two searches so far." };
    };
    const main = [...searchBoth.slice(0, 1), again, again, again, { text: "Fine." }];
    const world = worldOf({ small: [plans()], main }, {}, { agent: { checkpointWhen: [replaced] } });
    const { sessionId } = await world.say("Q4?");
    expect(await world.of(sessionId, "checkpoint")).toHaveLength(1);
    const historyIn = (turn: number) => {
      const prompt = JSON.stringify(world.model.requests[turn]?.messages).replaceAll("\\n", "\n");
      return String(saidIn(prompt).ToolCallHistory)
        .split("\n")
        .map((line) => line.slice(0, 3));
    };
    // The strategy keeps the last entry, which is a note with the third line.
    expect(historyIn(2)).toEqual(["3. ", "1. ", "2. ", "3. "]);
    expect(historyIn(3)).toEqual(["3. ", "1. ", "2. ", "3. ", "4. "]);
    expect(historyIn(4)).toEqual(["3. ", "1. ", "2. ", "3. ", "4. ", "5. "]);
    const next = JSON.stringify(world.model.requests[2]?.messages);
    expect(next).toContain("Two searches so far.");
    expect(next).toContain("<Plan>\\nGoal:");
    expect(next).not.toContain("Q4?");
  });

  it("M3 C7 what is kept of a session in memory follows the log: redactions, and each event once", async () => {
    const reads: { after: number; rows: number }[] = [];
    const counting = (store: EventStore): EventStore => ({
      ...store,
      async *read(sessionId, options) {
        const one = { after: options?.afterSeq ?? 0, rows: 0 };
        if (options?.types?.includes("planning.plan")) reads.push(one);
        for await (const event of store.read(sessionId, options)) {
          one.rows += 1;
          yield event;
        }
      },
    });
    const main = Array.from({ length: 12 }, () => ({ text: "Ok." }));
    const world = worldOf(
      { small: () => plans({ tasks: [] }), main },
      {},
      { store: counting(memoryStore()) },
    );
    const { sessionId } = await world.say("My secret is Rosebud.");
    for (let n = 0; n < 2; n += 1) await world.say(`Question ${n}`, { sessionId });
    expect(JSON.stringify(world.small.requests.at(-1)?.messages)).toContain("Rosebud");
    const [first, ...later] = reads;
    expect(first?.after).toBe(0);
    expect(later.every(({ after }) => after > 0)).toBe(true);
    const relevant = (await world.log(sessionId)).length;
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(relevant);

    const [message] = (await world.log(sessionId)).filter(({ type }) => type === "user_message");
    await world.pawl.redact(sessionId, message?.seq ?? 0, { userId: "u1" });
    await world.say("And now?", { sessionId });
    expect(reads.at(-1)?.after).toBeGreaterThan(0);
    expect(reads.filter(({ after }) => after === 0)).toHaveLength(2);
    expect(JSON.stringify(world.small.requests.at(-1)?.messages)).not.toContain("Rosebud");
  });

  it("M3 folds a stored part and then live events, in any split, without changing what it was given", async () => {
    const world = storyWorld();
    const { sessionId } = await world.answer(await world.say("Alex?"), { choice: "u-17" });
    const log = await world.log(sessionId);
    const whole = recordOf(log);
    const freeze = (event: StoredEvent) => Object.freeze(event);
    for (let split = 0; split <= log.length; split += 5) {
      let record = Object.freeze(recordOf(log.slice(0, split)));
      // The live events begin earlier than the stored part ends.
      for (const event of log.slice(Math.max(0, split - 3)))
        record = Object.freeze(withEvent(record, freeze(event)));
      expect(record).toEqual(split === 0 ? { ...whole } : whole);
    }
    expect(recordTexts(newRecord("s1"))).toEqual({
      Plan: "",
      Clarifications: "",
      ToolCallHistory: "",
      Review: "",
    });
  });
});
