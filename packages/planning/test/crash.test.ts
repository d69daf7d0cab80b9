import {
  type CheckpointStrategy,
  type ContentBlock,
  type EventStore,
  memoryStore,
  type StoredEvent,
  textOf,
} from "@pawl/core";
import { describe, expect, it } from "vitest";
import { recordOf } from "../src/index.ts";
import { atEveryAppend } from "./support/dying.ts";
import { saidIn, storyWorld, summarized, textsAt, timeless } from "./support/story.ts";
import { plans, worldOf } from "./support/world.ts";

const message = "What does Alex say about Q4?";

/** Tells the story to its end, or to the process's death. Returns the last process's prompts, as text. */
async function tell(store: EventStore, checkpointWhen: CheckpointStrategy[] = []): Promise<string[]> {
  const world = storyWorld(store, checkpointWhen);
  const [session] = await store.sessions.list({ userId: "u1" });
  await world.pawl.sweep();
  let result = await world.say(message, { clientMessageId: "m1", ...(session && { sessionId: session.id }) });
  if (result.stop.type === "suspended") result = await world.answer(result, { choice: "u-17" });
  expect(result.stop.type).toBe("end_turn");
  return world.model.requests.map(({ messages }) =>
    messages.map(({ content }) => textOf(content as ContentBlock[])).join("\n"),
  );
}

async function logOf(store: EventStore) {
  const [session] = await store.sessions.list({ userId: "u1" });
  return await Array.fromAsync(store.read(session?.id ?? ""));
}

async function recordIn(store: EventStore) {
  return timeless(recordOf(await logOf(store)));
}

describe("the story of the two Alexes", () => {
  it("M1 M2 M3 M5 a crash at every append changes nothing but time", async () => {
    const planningIn = (log: StoredEvent[]) =>
      log.map(({ type }) => type).filter((type) => type.startsWith("planning."));
    const spent = (log: StoredEvent[]) => log.filter(({ type }) => type === "spending").length;
    const whole = memoryStore();
    await tell(whole);
    const expected = await recordIn(whole);
    const [types, spendings] = [planningIn(await logOf(whole)), spent(await logOf(whole))];
    expect(spendings).toBe(4);

    const appends = await atEveryAppend(tell, async (where, store) => {
      const log = await logOf(store);
      expect([where, timeless(recordOf(log))]).toEqual([where, expected]);
      expect([where, planningIn(log)]).toEqual([where, types]);
      expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
      // What a model has answered is paid once. Answers that no event has got are not charged here.
      expect([where, spent(log.filter(({ data }) => Object(data).by === "planning"))]).toEqual([
        where,
        spendings,
      ]);
    });
    expect(appends).toBeGreaterThan(25);
  });

  it("M3 C11 C13 a crash at every append of a run with a checkpoint: each request has the plan and the history", async () => {
    const whole = memoryStore();
    await tell(whole, [summarized]);
    const expected = await recordIn(whole);
    await atEveryAppend(
      (store) => tell(store, [summarized]),
      async (where, store, prompts) => {
        const log = await logOf(store);
        expect([where, timeless(recordOf(log))]).toEqual([where, expected]);
        expect([where, log.filter(({ type }) => type === "checkpoint").length]).toEqual([where, 1]);
        expectNotes(where, log, prompts);
      },
    );
  });

  it("M6 the words that end a run are those of the log, also after a crash at every append", async () => {
    let times = 0;
    const end = async (store: EventStore) => {
      const world = worldOf(
        { small: [plans({ status: "blocked", blocked: "No." })], main: [] },
        {
          stopMessage: () => {
            times += 1;
            return `Words ${times}`;
          },
        },
        { store },
      );
      const [session] = await store.sessions.list({ userId: "u1" });
      await world.pawl.sweep();
      await world.say(message, { clientMessageId: "m1", ...(session && { sessionId: session.id }) });
    };
    const appends = await atEveryAppend(end, async (where, store) => {
      const log = await logOf(store);
      const data = (type: string) => log.filter((event) => event.type === type).map((event) => event.data);
      const [stopped, ...others] = data("planning.stopped") as { message: string }[];
      expect([where, others]).toEqual([where, []]);
      expect([where, data("run_ended")]).toMatchObject([where, [{ stop: { message: stopped?.message } }]]);
    });
    expect(appends).toBeGreaterThan(3);
  });

  it("M6 E2 the retrieved text and the last answer stay the same after a crash at every append", async () => {
    for (const blocked of [true, false]) {
      const whole = memoryStore();
      await tellEnd(whole, blocked);
      const expected = await recordIn(whole);
      const appends = await atEveryAppend(
        (store) => tellEnd(store, blocked),
        async (where, store, { stop, text }) => {
          const log = await logOf(store);
          const record = recordOf(log);
          const { stopped, retrieved } = record;
          if (blocked) expect([where, stop.message]).toEqual([where, stopped?.message]);
          else expect([where, text]).toEqual([where, `I ${retrieved}.`]);
          expect([where, timeless(record)]).toEqual([where, expected]);
          const found = log.filter(({ data }) => Object(data).source === "planning.retrieved");
          expect([where, found.length]).toEqual([where, blocked ? 0 : 1]);
          expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
        },
      );
      expect(appends).toBeGreaterThan(blocked ? 4 : 12);
    }
  });
});

/** Expects the last prompts to have the plan, and every line of the record, as they were at each request. */
function expectNotes(where: string, log: readonly StoredEvent[], prompts: readonly string[]): void {
  const covered = log.flatMap((event) => (event.type === "llm_request" ? [event.data.prompt.upto_seq] : []));
  for (const [at, prompt] of prompts.entries()) {
    const said = saidIn(prompt);
    const known = textsAt(log, covered.at(at - prompts.length) ?? 0);
    expect([where, at, said.Plan]).toEqual([where, at, known.Plan]);
    for (const tag of ["Clarifications", "ToolCallHistory", "Review"] as const)
      for (const line of String(known[tag]).split("\n"))
        expect([where, at, tag, said[tag]]).toEqual([where, at, tag, expect.stringContaining(line)]);
  }
}

let said = 0;

/** A run that a plan blocks, or that lands at its limit. What the application returns differs each time. */
async function tellEnd(store: EventStore, blocked: boolean) {
  const world = worldOf(
    {
      small: () => (blocked ? plans({ status: "blocked", blocked: "No access." }) : plans()),
      main: (answers) => ({ tools: [{ name: "search_gmail", input: { query: String(answers) } }] }),
    },
    {
      stopMessage: ({ message: words }) => `${words} ${++said}`,
      fallback: { retrieve: () => `found ${++said}`, write: (found) => `I ${found}.` },
    },
    { store, onError: () => {}, agent: { onLimit: "land", limits: { turns: 2 } } },
  );
  const [session] = await store.sessions.list({ userId: "u1" });
  await world.pawl.sweep();
  return await world.say(message, { clientMessageId: "m1", ...(session && { sessionId: session.id }) });
}
