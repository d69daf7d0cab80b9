import {
  approval,
  type EventStore,
  type Hook,
  isText,
  memoryBlobs,
  PawlError,
  type Runtime,
  type StoredEvent,
  withBlobs,
  withRetry,
} from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { crashingStore } from "./support/crashing-store.ts";
import { ofType, stops } from "./support/invariants.ts";
import { byTurn, failingAtFirst, type World, world } from "./support/world.ts";

const call = (name: string, value: string) => ({ name, input: { value } });

/**
 * Six turns: thinking, parallel tools, a failing tool, a question beside other calls, and two questions in
 * one turn.
 */
const script: readonly Reply[] = [
  { thinking: "Let me see.", text: "I begin.", tools: [call("save", "a"), call("fetch", "b")] },
  { tools: [call("ask", "q1"), call("save", "c")] },
  { thinking: "Hm.", tools: [call("fail", "d"), call("fetch", "e")] },
  { text: "Two questions.", tools: [call("ask", "q2"), call("fetch", "f"), call("approve", "q3")] },
  { thinking: "Nearly there.", tools: [call("save", "g"), call("save", "h"), call("fetch", "i")] },
  { text: "That was it." },
];

/**
 * Attempts that fail and are retried: before the answer, within a text, within a call, and beside results and
 * a question.
 */
const flaky: readonly Reply[] = [
  { text: "I begin.", tools: [call("save", "a")], fault: { cut: 5 } },
  { tools: [call("ask", "q1"), call("fetch", "b")], fault: { status: 529 } },
  { thinking: "Hm.", tools: [call("save", "c")], fault: { midStream: "overloaded", afterEvents: 8 } },
  { text: "That was it.", fault: { cut: 4, end: true } },
];

const user = { userId: "u1" };
const sessionId = "s1";
const message = { ...user, sessionId, input: "Go", clientMessageId: "m1" };

/**
 * Plays a client and a supervisor: sends, answers, and starts a new process after each crash. Returns the
 * number of crashes when the run has ended.
 */
async function drive(setting: World, first: EventStore): Promise<number> {
  let pawl: Runtime = setting.boot(first);
  let crashes = 0;
  for (let step = 0; step < 50; step += 1) {
    try {
      const log = await setting.log(sessionId);
      if (!log.some((event) => event.type === "user_message")) await pawl.run("tester", message).result;
      else if (ofType(log, "run_ended").length > 0) return crashes;
      else {
        const afterSeq = log.length;
        if ((await pawl.sweep()) > 0) {
          for await (const event of pawl.follow(sessionId, { afterSeq, untilIdle: true })) void event;
        }
        const { pending } = await pawl.view(sessionId, user);
        const answers = pending.map(({ callId, kind, seq }) => ({
          callId,
          question: seq,
          value: kind === "approval" ? { approved: true } : { text: `answer to ${callId}` },
        }));
        // Sends one answer at a time, so that partly answered turns are tested too.
        if (answers.length > 0) {
          await pawl.run("tester", { ...user, sessionId, answers: answers.slice(0, 1) }).result;
        }
      }
    } catch (error) {
      if (!PawlError.is(error, "store_unavailable")) throw error;
      crashes += 1;
      setting.wait();
      pawl = setting.boot();
    }
  }
  throw new Error("the run does not come to an end");
}

interface Crash {
  appends: number;
  crashes: number;
  retries: number;
}

async function crashAt(
  replies: readonly Reply[],
  at: number,
  when: "before" | "after",
  hooks: readonly Hook[] = [],
): Promise<Crash> {
  const setting = world(failingAtFirst(byTurn(replies)), {
    around: (model) => withRetry(model, { retries: 1, baseMs: 0 }),
    hooks,
  });
  await setting.base.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
  const store = crashingStore(setting.base, at, when);
  const crashes = await drive(setting, store);
  const log = await setting.check(sessionId, store.acknowledged);
  expect(stops(log)).toEqual(["end_turn"]);
  for (const { data } of ofType(log, "tool_call")) {
    const limit = data.tool_name === "fetch" ? 2 : 1;
    expect(setting.ran.get(data.call_id) ?? 0, data.tool_name).toBeLessThanOrEqual(limit);
  }
  const started = ofType(log, "tool_started").map((event) => `${event.data.call_id}`);
  expect(started.length - new Set(started).size).toBeLessThanOrEqual(crashes);
  expect((await setting.base.sessions.get(sessionId))?.status).toBe("active");
  const failed = ofType(log, "error").filter(({ data }) => data.code === "model_error");
  return { appends: store.appends, crashes, retries: failed.length };
}

describe.each([
  ["", script, { appends: 19, retries: 0 }],
  [" of a run whose model calls fail and are made again", flaky, { appends: 13, retries: 4 }],
] as const)("a crash at every append%s", async (_of, replies, whole) => {
  // In a cold process, calls that end together may end apart, and need an append more than in the tests below.
  await crashAt(replies, Number.POSITIVE_INFINITY, "before");
  const { appends, retries } = await crashAt(replies, Number.POSITIVE_INFINITY, "before");

  it("covers a whole run", () => {
    expect(appends).toBeGreaterThanOrEqual(whole.appends);
    expect(retries).toBe(whole.retries);
  });

  for (let at = 1; at <= appends; at += 1) {
    for (const when of ["before", "after"] as const) {
      it(`L1 L7 P1 P2 P3 P4 C12 E2 recovers from a crash ${when} append ${at}`, async () => {
        expect((await crashAt(replies, at, when)).crashes).toBe(1);
      });
    }
  }
});

/**
 * Returns hooks that together have every method. They record their calls in `done`, which outlives the
 * processes.
 */
function everyHook(done: string[]): Hook[] {
  const tell: Hook = {
    name: "tells",
    beforeRun: async ({ run, append }) => {
      await append({ type: "note", key: `begins:${run.runId}`, data: { text: "It begins." } });
      return undefined;
    },
    beforeTurn: async ({ maxTokens }, { run, append }) => {
      await append({
        type: "note",
        key: `turn:${run.runId}:${run.turns}`,
        data: { text: `Turn ${run.turns}.` },
      });
      return { maxTokens: maxTokens - run.turns, tools: ["save", "fetch", "fail", "ask", "approve"] };
    },
    beforeModel: ({ plan }) => ({ maxTokens: plan.maxTokens - 1 }),
    afterTurn: async (_turn, { run, append }) => {
      await append({ type: "app.turn", key: `over:${run.runId}:${run.turns}`, data: { turns: run.turns } });
      return undefined;
    },
  };
  const change: Hook = {
    name: "changes",
    beforeTool: ({ tool, input }) => {
      const { value } = input as { value: string };
      return tool.name === "save" ? { input: { value: `${value} once more` } } : undefined;
    },
    afterTool: ({ result }) => ({ result: { checked: result } }),
    afterModel: async ({ content }) => ({
      content: content.map((block) =>
        isText(block) ? { type: "text", text: `${block.text} Indeed.` } : block,
      ),
    }),
    onStop: (stop) => ({ ...stop, message: `${stop.message} Good bye.` }),
    afterRun: async (_result, { append }) => {
      done.push("effect");
      await append({ type: "knowledge", data: { source: "summary", data: "It went well." } });
    },
  };
  return [tell, change, approval({ when: ["save", "approve"] })];
}

async function crashWithHooks(at: number, when: "before" | "after"): Promise<Crash> {
  const done: string[] = [];
  const crash = await crashAt(script, at, when, everyHook(done));
  expect(done.length).toBeLessThanOrEqual(1);
  if (crash.crashes === 0) expect(done).toHaveLength(1);
  return crash;
}

describe("a crash at every append of a run with hooks of all kinds", async () => {
  const { appends } = await crashWithHooks(Number.POSITIVE_INFINITY, "before");

  it("covers a whole run", () => {
    expect(appends).toBeGreaterThanOrEqual(60);
  });

  for (let at = 1; at <= appends; at += 1) {
    for (const when of ["before", "after"] as const) {
      it(`H1 L7 L17 P2 P4 recovers from a crash ${when} append ${at}`, async () => {
        expect((await crashWithHooks(at, when)).crashes).toBe(1);
      });
    }
  }
});

/**
 * Runs with a blob for nearly every payload. The process dies at append `at`: after its blobs are stored and
 * before its events are, or after both, before the acknowledgement.
 */
async function crashOverBlobs(
  at: number,
  when: "before" | "after",
): Promise<{ appends: number; slim: number }> {
  const blobs = memoryBlobs();
  const over = (log: EventStore) => withBlobs(log, blobs, { aboveBytes: 60 });
  let log: EventStore | undefined;
  const setting = world(byTurn(script), {
    over: (inner) => {
      log = inner;
      return over(inner);
    },
  });
  await setting.base.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
  const dying = crashingStore(log as EventStore, at, when);
  const first = over(dying);
  const acknowledged: StoredEvent[] = [];
  const append: EventStore["append"] = async (...args) => {
    const rows = await first.append(...args);
    acknowledged.push(...rows);
    return rows;
  };
  const crashes = await drive(setting, { ...first, append });
  expect(crashes).toBe(at === Number.POSITIVE_INFINITY ? 0 : 1);
  expect(stops(await setting.check(sessionId, acknowledged))).toEqual(["end_turn"]);
  const rows = await Array.fromAsync((log as EventStore).read(sessionId));
  return { appends: dying.appends, slim: rows.filter(({ data }) => "$blob" in (data as object)).length };
}

describe("a crash at every append over blobs", async () => {
  const whole = await crashOverBlobs(Number.POSITIVE_INFINITY, "before");

  it("covers a whole run", () => {
    expect(whole.appends).toBeGreaterThanOrEqual(19);
    expect(whole.slim).toBeGreaterThan(40);
  });

  for (let at = 1; at <= whole.appends; at += 1) {
    it(`L1 L7 C12 E2 recovers from a crash between the blobs and the events of append ${at}`, async () => {
      await crashOverBlobs(at, "before");
    });
    it(`L1 L7 C12 E2 recovers from a crash after append ${at} with its blobs`, async () => {
      await crashOverBlobs(at, "after");
    });
  }
});
