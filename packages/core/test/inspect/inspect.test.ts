import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { rebuild } from "../../../../test/support/rebuild.ts";
import {
  agent,
  agentTool,
  dropOldResults,
  memoryStore,
  readShown,
  type StoredEvent,
  summarize,
  type ToolContext,
  tool,
  withRetry,
} from "../../src/index.ts";
import {
  firstDifference,
  hitRateOf,
  lasted,
  requestsOf,
  spendingsOf,
  sumOf,
  type TimelineRun,
  timelineOf,
} from "../../src/inspect.ts";
import { type Setup, setup } from "../support/setup.ts";
import { askWith, readLong } from "../support/tools.ts";

const ask = askWith(z.object({ question: z.string() }));
const reading = (n: number): Reply => ({ thinking: "Hm.", tools: [{ name: "read", input: { n } }] });
const asking: Reply = { tools: [{ name: "ask", id: "toolu_ask", input: { question: "Sure?" } }] };
const unmarked = (request: object): unknown =>
  JSON.parse(JSON.stringify(request, (key, value) => (key === "cache_control" ? undefined : value)));

/** A clock that stands still until it is moved, for a store whose times are known. */
function stopped() {
  let now = Date.parse("2026-11-21T10:00:00.000Z");
  return {
    store: memoryStore({ now: () => now }),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

async function timeline(world: Setup, sessionId: string): Promise<TimelineRun[]> {
  return timelineOf(await world.log(sessionId));
}

describe("O4 the requests of a log", () => {
  it("are those that were sent, over suspensions, checkpoints and redactions", async () => {
    const checkpointWhen = [dropOldResults({ whenTokens: 400, keepTurns: 1 })];
    const script = [reading(1), reading(2), asking, { text: "Done." }, { text: "Again." }];
    const world = setup(script, { tools: [readLong, ask], checkpointWhen });
    const { sessionId } = await world.say("Read");
    await world.answer(sessionId, "toolu_ask", "yes");
    await world.pawl.redact(sessionId, 2, { userId: "u1" });
    await world.say("And?", { sessionId });
    const log = await world.log(sessionId);
    const requests = requestsOf(log).map(({ system, tools, messages }) => ({ system, tools, messages }));
    const sent = world.model.requests.map(({ system, tools, messages }) =>
      unmarked({ system, tools, messages }),
    );
    expect(sent).toHaveLength(5);
    // What was redacted later was sent as it was then; the log does not say that any more, and neither does this.
    expect(requests.slice(4)).toEqual(sent.slice(4));
    expect(JSON.parse(JSON.stringify(requests))).toEqual(
      (await rebuild(log)).map(({ request: { system, tools, messages } }) =>
        unmarked({ system, tools, messages }),
      ),
    );
  });

  it("say where one begins to differ from the one before it", async () => {
    const checkpointWhen = [dropOldResults({ whenTokens: 400, keepTurns: 1 })];
    const world = setup([reading(1), reading(2), reading(3), { text: "Done." }], {
      tools: [readLong],
      checkpointWhen,
    });
    const { sessionId } = await world.say("Read");
    const differences = (await timeline(world, sessionId)).flatMap(({ turns }) =>
      turns.flatMap(({ attempts }) => attempts.map(({ difference }) => difference)),
    );
    expect(differences).toEqual([
      undefined,
      { path: "messages[1].content[0]", change: "added" },
      { path: "messages[1].content[0]", change: "changed" },
      { path: "messages[4].content[0]", change: "changed" },
    ]);
  });

  it("differ where what is shown of the log does not say so: after a redaction, and in a public log", async () => {
    const store = memoryStore();
    const told = setup([{ text: "One." }, { text: "Two." }], {}, { store });
    const { sessionId } = await told.say("Hi");
    await told.pawl.redact(sessionId, 2, { userId: "u1" });
    await told.say("And?", { sessionId });
    const other = setup([{ text: "Three." }], { instructions: "You are another." }, { store });
    await other.say("More", { sessionId });
    const log = await Array.fromAsync(readShown(store, sessionId));
    const paths = (events: readonly StoredEvent[]) =>
      timelineOf(events).map(({ turns }) => turns[0]?.attempts[0]?.difference?.path);
    expect(paths(log)).toEqual([undefined, "prefix", "system[0]"]);
    const hidden = log.map((event) =>
      event.type === "prefix" ? { ...event, data: { ...event.data, system: [], tools: [] } } : event,
    );
    expect(paths(hidden)).toEqual([undefined, "prefix", "prefix"]);
  });

  it("differ by role, by place and by missing blocks", () => {
    const text = (words: string) => ({ type: "text" as const, text: words });
    const of = (messages: { role: "user" | "assistant"; content: { type: "text"; text: string }[] }[]) => ({
      seq: 1,
      prefixId: "p",
      system: [text("s")],
      tools: [],
      messages,
    });
    const one = of([{ role: "user", content: [text("a"), text("b")] }]);
    expect(firstDifference(one, of([{ role: "user", content: [text("a"), text("b")] }]))).toBeUndefined();
    expect(firstDifference(one, of([{ role: "user", content: [text("a")] }]))).toEqual({
      path: "messages[0].content[1]",
      change: "removed",
    });
    const apart = of([
      { role: "user", content: [text("a")] },
      { role: "user", content: [text("b")] },
    ]);
    expect(firstDifference(one, apart)).toEqual({ path: "messages[1].content[0]", change: "changed" });
    expect(firstDifference(one, of([{ role: "assistant", content: [text("a"), text("b")] }]))?.path).toBe(
      "messages[0].content[0]",
    );
    expect(firstDifference(one, { ...one, system: [text("t")] })?.path).toBe("system[0]");
  });
});

describe("O4 the timeline of a log", () => {
  it("keeps the time in which the user was waited for apart from work", async () => {
    const { store, pass } = stopped();
    const slow = tool({
      name: "slow",
      description: "Takes its time.",
      input: z.object({}),
      execute: () => pass(700),
    });
    const script = [{ tools: [{ name: "slow", input: {} }] }, asking, { text: "Done." }];
    const world = setup(script, { tools: [slow, ask] }, { store });
    const { sessionId } = await world.say("Go");
    pass(60_000);
    await world.answer(sessionId, "toolu_ask", "yes");
    const [run] = await timeline(world, sessionId);
    expect(run).toMatchObject({ agent: "tester", workMs: 700, stop: { type: "end_turn" } });
    expect(lasted(run?.waits ?? [], 0)).toBe(60_000);
    expect((run?.to ?? 0) - (run?.from ?? 0)).toBe(60_700);
    const calls = run?.turns.flatMap((turn) => turn.calls);
    expect(calls).toMatchObject([
      { toolName: "slow", phase: "done", waits: [] },
      { toolName: "ask", phase: "done" },
    ]);
    expect(lasted(calls?.[1]?.waits ?? [], 0)).toBe(60_000);
  });

  it("shows what goes on: a question that waits, and nothing that is over", async () => {
    const { store, pass } = stopped();
    const world = setup([asking], { tools: [ask] }, { store });
    const { sessionId } = await world.say("Go");
    pass(5_000);
    const [run] = await timeline(world, sessionId);
    expect(run?.to).toBeUndefined();
    expect(run?.turns[0]?.calls).toMatchObject([
      { phase: "waiting", waits: [{ from: run?.waits[0]?.from }] },
    ]);
    expect(lasted(run?.waits ?? [], Date.parse("2026-11-21T10:00:09.000Z"))).toBe(9_000);
  });

  it("F22 O4 has what tools have reported about their calls, and counts their costs", async () => {
    const reports = { connector: "gmail", fragments: ["m1"], summary: "1 mail" };
    const search = tool({
      name: "search",
      description: "",
      input: z.object({ n: z.number() }),
      execute: (_, { report, callId }: ToolContext) => {
        report({ ...reports, costUsd: 0.25 });
        if (callId === "c2") throw Object.assign(new Error("no"), { code: "ETIMEDOUT" });
      },
    });
    const tools = ["c1", "c2"].map((id, n) => ({ name: "search", id, input: { n } }));
    const world = setup([{ tools }, { text: "Done." }], { tools: [search] });
    const { sessionId, costUsd } = await world.say("Go");
    const [run] = await timeline(world, sessionId);
    expect(run?.turns[0]?.calls).toMatchObject([
      { phase: "done", costUsd: 0.25, ...reports },
      { phase: "error", costUsd: 0.25, ...reports, code: "ETIMEDOUT" },
    ]);
    expect(sumOf(run === undefined ? [] : spendingsOf(run)).costUsd).toBe(costUsd);
    expect(costUsd).toBe(0.5);
  });

  it("O1 counts what attempts, retries and other agents have used up, as the run does", async () => {
    const pricing = { input: 100, output: 100, cacheRead: 10, cacheWrite5m: 125, cacheWrite1h: 200 };
    const helper = agent({
      name: "helper",
      model: scriptedModel([{ text: "Found." }], { pricing }),
      instructions: "Help.",
    });
    const script: Reply[] = [
      { text: "Half an answer, alas", fault: { cut: 6 } },
      { tools: [{ name: "helper", input: { task: "Look" } }] },
      { text: "Done." },
    ];
    const model = scriptedModel(script, { pricing });
    const world = setup([], { tools: [agentTool({ agent: helper, description: "Looks." })] }, {}, () =>
      withRetry(model, { baseMs: 1 }),
    );
    const { sessionId, usage, costUsd } = await world.say("Go");
    const [run] = await timeline(world, sessionId);
    const [first] = run?.turns ?? [];
    expect(first?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "answered"]);
    expect(first?.calls[0]?.costUsd).toBeGreaterThan(0);
    const { tokens, costUsd: counted } = sumOf(run === undefined ? [] : spendingsOf(run));
    expect(counted).toBe(costUsd);
    expect(tokens).toMatchObject({ prompt: usage.inputTokens, completion: usage.outputTokens });
  });

  it("O1 C11 counts what a summary has cost", async () => {
    const pricing = { input: 100, output: 100, cacheRead: 10, cacheWrite5m: 125, cacheWrite1h: 200 };
    const writer = scriptedModel([{ text: "They read." }], { pricing });
    const checkpointWhen = [summarize({ model: writer, whenTokens: 700, keepTurns: 1 })];
    const world = setup([reading(1), reading(2), reading(3), { text: "Done." }], {
      tools: [readLong],
      checkpointWhen,
    });
    const { sessionId, costUsd } = await world.say("Read");
    const [run] = await timeline(world, sessionId);
    expect(run?.summaries.costUsd).toBeGreaterThan(0);
    expect(run?.summaries.costUsd).toBe(costUsd);
    expect(run?.others).toMatchObject([{ by: "summary", model: writer.id, costUsd }]);
  });

  it("O4 has a cache hit rate where something was sent", () => {
    const tokens = { prompt: 10, completion: 5, cached: 60, cache_write: 30, cache_write_1h: 0, total: 105 };
    expect(hitRateOf(tokens)).toBe(0.6);
    expect(hitRateOf({ ...tokens, prompt: 0, cached: 0, cache_write: 0 })).toBeUndefined();
  });

  it("L10 says of an attempt whose process died that it has failed", () => {
    const at = (seq: number, type: string, data: object) =>
      ({ sessionId: "s", seq, v: 1, at: new Date(seq * 1_000).toISOString(), type, data }) as StoredEvent;
    const prompt = { prefix_id: "p", upto_seq: 2, hash: "" };
    const request = { model: "m", prompt, params: { max_tokens: 1 }, estimated_tokens: 1, turn: 1 };
    const [run] = timelineOf([
      at(1, "user_message", { message: "Hi" }),
      at(2, "run_started", { run_id: "r", agent: "a", agent_version: "1" }),
      at(3, "prefix", { prefix_id: "p", system: [], tools: [] }),
      at(4, "llm_request", request),
      at(9, "run_recovered", { run_id: "r" }),
      at(10, "llm_request", request),
    ]);
    expect(run?.turns).toHaveLength(1);
    expect(run?.turns[0]?.attempts).toMatchObject([
      { seq: 4, outcome: "failed", from: 4_000, to: 9_000 },
      { seq: 10, from: 10_000 },
    ]);
    expect(run?.turns[0]?.attempts[1]?.outcome).toBeUndefined();
  });
});
