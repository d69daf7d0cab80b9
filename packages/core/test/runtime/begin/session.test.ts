import { describe, expect, it } from "vitest";
import { memoryStore, runtime } from "../../../src/index.ts";
import { contextTypes } from "../../../src/inspect.ts";
import { EVENT_VERSION, localEngine } from "../../../src/store.ts";
import { code } from "../../support/errors.ts";
import { setup, stored, types, until, user } from "../../support/setup.ts";
import { failingStore, has } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";
import { gate } from "../../support/when-busy.ts";

const notFound = code("not_found");
const echoing = { name: "echo", id: "toolu_e", input: { text: "hi" } };

describe("sessions and events", () => {
  it("E1 stores the events of a run with their shapes, durations and versions", async () => {
    const { say, log } = setup([{ text: "A.", tools: [echoing] }, { text: "B." }], { tools: [echoTool] });
    const { sessionId } = await say("Go");
    const events = await log(sessionId);
    expect(types(events)).toEqual([
      "run_started",
      "prefix",
      "user_message",
      "llm_request",
      "assistant_message",
      "tool_call",
      "llm_response",
      "tool_started",
      "tool_result",
      "llm_request",
      "assistant_message",
      "llm_response",
      "run_ended",
    ]);
    expect(events.every((event) => event.v === EVENT_VERSION && !Number.isNaN(Date.parse(event.at)))).toBe(
      true,
    );
    const data = (n: number) => events[n]?.data;
    expect(data(2)).toEqual({ message: "Go" });
    expect(data(3)).toMatchObject({
      model: "claude-sonnet-5-5",
      prompt: { upto_seq: 3 },
      estimated_tokens: expect.any(Number),
      turn: 1,
    });
    expect(data(5)).toEqual({ tool_name: "echo", arguments: { text: "hi" }, call_id: "toolu_e" });
    expect(data(6)).toMatchObject({
      raw_response: { stop_reason: "tool_use" },
      tokens: { total: expect.any(Number) },
      attempt: 4,
    });
    expect(data(8)).toEqual({ tool_name: "echo", result: "hi", success: true, call_id: "toolu_e" });
    expect(events[6]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(events[8]).toMatchObject({ key: "result:5:toolu_e", durationMs: expect.any(Number) });
    expect(contextTypes).toHaveLength(7);
  });

  it("E3 keeps status, totals and cost of the session up with its log", async () => {
    const { say, store, of } = setup([{ text: "A." }, { text: "B." }]);
    const { sessionId } = await say("Go");
    await say("More", { sessionId });
    const responses = await of(sessionId, "llm_response");
    const session = await store.sessions.get(sessionId);
    const sum = (pick: (tokens: (typeof responses)[0]["data"]["tokens"]) => number) =>
      responses.reduce((total, { data }) => total + pick(data.tokens), 0);
    expect(session).toMatchObject({
      status: "active",
      openRun: null,
      contextStartSeq: 0,
      usage: { inputTokens: sum((t) => t.prompt), outputTokens: sum((t) => t.completion) },
      costUsd: expect.closeTo(responses.reduce((total, { data }) => total + data.cost_cents, 0) / 100, 11),
    });
  });

  it("E3 returns the newest active or suspended session, or creates one", async () => {
    const { pawl, say } = setup([{ text: "A." }]);
    const created = await pawl.getOrCreateSession("tester", "u1");
    expect((await pawl.getOrCreateSession("tester", "u1")).id).toBe(created.id);
    expect((await pawl.getOrCreateSession("tester", "u2")).id).not.toBe(created.id);
    await say("Go", { sessionId: created.id });
    await expect(pawl.getOrCreateSession("nobody", "u1")).rejects.toSatisfy(notFound);
  });

  it("E11 makes a foreign session look as if it did not exist, whatever is called", async () => {
    const { pawl, say, log } = setup([{ text: "A." }]);
    const { sessionId } = await say("Go");
    const foreign = { userId: "u2" };
    const before = await log(sessionId);
    await expect(pawl.view(sessionId, foreign)).rejects.toSatisfy(notFound);
    await expect(pawl.stop(sessionId, foreign)).rejects.toSatisfy(notFound);
    await expect(pawl.run("tester", { ...foreign, sessionId, input: "Hi" }).started).rejects.toSatisfy(
      notFound,
    );
    await expect(pawl.run("tester", { ...user, sessionId: "no-such", input: "Hi" }).result).rejects.toSatisfy(
      notFound,
    );
    expect(await log(sessionId)).toEqual(before);
  });

  it("E11 keeps the sessions of two agents apart", async () => {
    const first = setup([{ text: "A." }]);
    const { sessionId } = await first.say("Go");
    const other = setup([{ text: "B." }], { name: "other" }, { store: first.store });
    await expect(other.pawl.run("other", { ...user, sessionId, input: "Hi" }).started).rejects.toSatisfy(
      notFound,
    );
  });

  it("E2 refuses a message while the session is busy, and loses nothing", async () => {
    const { work, open } = gate();
    const script = [{ tools: [{ name: "work", input: {} }] }, { text: "One two three" }, { text: "Ok." }];
    const { pawl, agent, store, of, model } = setup(script, { tools: [work] });
    const run = pawl.run("tester", { ...user, input: "First" });
    const { sessionId } = await run.started;
    const busy = code("session_busy");
    await expect(pawl.run("tester", { ...user, sessionId, input: "Second" }).started).rejects.toSatisfy(busy);
    const elsewhere = runtime({ agents: [agent], store });
    await expect(elsewhere.run("tester", { ...user, sessionId, input: "Third" }).started).rejects.toSatisfy(
      busy,
    );
    open();
    expect((await run.result).text).toBe("One two three");
    await pawl.run("tester", { ...user, sessionId, input: "Fourth" }).result;
    expect((await of(sessionId, "user_message")).map(({ data }) => data.message)).toEqual([
      "First",
      "Fourth",
    ]);
    expect(model.rejected).toEqual([]);
  });

  it("E2 stores a message that is sent twice once, and shows the first run both times", async () => {
    const { pawl, of, store } = setup([{ text: "Slow answer here", delayPerEventMs: 3 }]);
    const { id: sessionId } = await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const send = () => pawl.run("tester", { ...user, sessionId, input: "Hi", clientMessageId: "m1" }).result;
    const [first, second] = await Promise.all([send(), send()]);
    const third = await send();
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(await of(sessionId, "user_message")).toHaveLength(1);
  });

  it("refuses invalid messages and answers", async () => {
    const { pawl } = setup([]);
    const invalid = code("invalid_input");
    for (const options of [
      {},
      { input: " \n" },
      { answers: [] },
      { input: "a", answers: [{ callId: "c", value: 1 }] },
      { answers: [{ callId: "c", value: 1 }] },
    ]) {
      await expect(pawl.run("tester", { ...user, ...options }).started).rejects.toSatisfy(invalid);
    }
    await expect(pawl.run("nobody", { ...user, input: "Hi" }).started).rejects.toSatisfy(notFound);
  });

  it("gives up a run that dies three times in a row without getting any further", async () => {
    let clock = 0;
    const now = () => clock;
    const store = memoryStore({ now });
    let deaths = 0;
    const die = failingStore(store, (events) => {
      if (!has(events, "llm_request")) return false;
      deaths += 1;
      return true;
    });
    // With a hook of the application's, the run starts before its request is stored.
    const hooks = [{ name: "looks", beforeTurn: () => undefined }];
    // Each attempt to append counts as a death.
    const dying = { store: die, times: { storeRetryMs: [] } };
    const first = setup([], { hooks }, dying);
    const run = first.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await expect(run.result).rejects.toSatisfy(code("store_unavailable"));
    for (let process = 0; process < 3; process += 1) {
      clock += 60_000;
      expect(await setup([], {}, dying).pawl.sweep()).toBe(1);
      await until(() => deaths === process + 2);
    }
    clock += 60_000;
    const last = setup([], {}, { store: die });
    expect(await last.pawl.sweep()).toBe(1);
    await stored(last, sessionId, "run_ended");
    expect((await last.of(sessionId, "run_ended"))[0]?.data).toMatchObject({
      stop: { type: "crash_loop" },
      session_status: "error",
    });
    expect(await last.of(sessionId, "run_recovered")).toHaveLength(4);
  });

  it("Q1 counts no death for the process that gave the run away: four workers may die, as elsewhere", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const front = setup([], {}, { store, engine: localEngine(), concurrency: 0 });
    const { sessionId } = await front.pawl.run("tester", { ...user, input: "Go" }).started;
    let deaths = 0;
    const die = failingStore(store, (events) => {
      if (!has(events, "llm_request")) return false;
      deaths += 1;
      return true;
    });
    const dying = { store: die, times: { storeRetryMs: [] } };
    for (let process = 1; process <= 4; process += 1) {
      clock += 60_000;
      expect(await setup([], {}, dying).pawl.sweep()).toBe(1);
      await until(() => deaths === process);
    }
    clock += 60_000;
    const last = setup([], {}, { store: die });
    expect(await last.pawl.sweep()).toBe(1);
    await stored(last, sessionId, "run_ended");
    expect((await last.of(sessionId, "run_ended"))[0]?.data.stop.type).toBe("crash_loop");
    expect(deaths).toBe(4);
  });
});
