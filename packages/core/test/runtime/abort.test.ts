import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { memoryStore, runtime, tool } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { setup, stored, types, until, user } from "../support/setup.ts";
import { askWith, hang, text } from "../support/tools.ts";

describe("stopping a run", () => {
  it("L9 reaches the model stream, keeps the text so far and leaves the conversation valid", async () => {
    const slow = { text: "One two three four five six seven eight nine ten", delayPerEventMs: 5 };
    const { pawl, model, of, say } = setup([slow, { text: "Here I am." }]);
    const control = new AbortController();
    const run = pawl.run("tester", { ...user, input: "Go", signal: control.signal });
    for await (const event of run) if (event.type === "text_delta") control.abort();
    const { stop, sessionId, text } = await run.result;
    expect(stop.type).toBe("aborted");
    expect(text).not.toBe("");
    expect(text.length).toBeLessThan(slow.text.length);
    expect((await of(sessionId, "assistant_message"))[0]?.data.disposition).toBe("partial");
    expect((await say("Go on", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("L9 reaches every tool, answers those that ignore it, and starts no more", async () => {
    const fired: string[] = [];
    const polite = tool({
      name: "polite",
      description: "",
      input: text,
      execute: async ({ text }, { signal }) => {
        fired.push(`start ${text}`);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        fired.push(`abort ${text}`);
        throw new Error("I was stopped");
      },
    });
    const late = Promise.withResolvers<string>();
    const stubborn = tool({ name: "stubborn", description: "", input: text, execute: () => late.promise });
    const call = (name: string, text: string) => ({ name, input: { text } });
    const tools = [call("polite", "a"), call("stubborn", "b"), call("polite", "c")];
    const { pawl, model, say, of } = setup([{ tools }, { text: "Fine." }], {
      tools: [polite, stubborn],
      toolConcurrency: 2,
    });
    const control = new AbortController();
    const run = pawl.run("tester", { ...user, input: "Go", signal: control.signal });
    run.on("tool_started", ({ data }) => data.tool_name === "stubborn" && control.abort());
    const { stop, sessionId, actions } = await run.result;
    expect(stop.type).toBe("aborted");
    expect(fired).toEqual(["start a", "abort a"]);
    expect(actions.map(({ result }) => String(result))).toEqual([
      expect.stringMatching(
        /outcome of this call is unknown: the run was stopped .* Its error: I was stopped$/,
      ),
      expect.stringMatching(/outcome of this call is unknown/),
      expect.stringMatching(/Not run/),
    ]);
    expect((await say("And now?", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    late.resolve("late");
    await until(async () => (await of(sessionId, "error")).length > 0);
    expect((await of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["late_result"]);
  });

  it("L9 stops a run of another process, and one that waits for an answer", async () => {
    const ask = askWith(text);
    const script = [{ tools: [{ name: "ask", id: "toolu_q", input: { text: "?" } }] }, { text: "Fine." }];
    const { pawl, say, agent, store, of, model } = setup(script, { tools: [ask] });
    const { sessionId } = await say("Go");
    const elsewhere = runtime({ agents: [agent], store });
    await elsewhere.stop(sessionId, user);
    for await (const _ of pawl.follow(sessionId, { afterSeq: 9, untilIdle: true }));
    const [ended] = (await of(sessionId, "run_ended")).slice(-1);
    expect(ended?.data.stop.type).toBe("aborted");
    expect(await store.sessions.get(sessionId)).toMatchObject({
      openRun: null,
      pending: 0,
      status: "active",
    });
    await elsewhere.stop(sessionId, user);
    await expect(elsewhere.stop(sessionId, { userId: "u2" })).rejects.toSatisfy(code("not_found"));
    expect((await say("Hello?", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("L9 notices a stop request that another process stored while the model was streaming", async () => {
    const slow = { text: "a ".repeat(200), delayPerEventMs: 5 };
    const { pawl, agent, store, log } = setup([slow], {}, { times: { leaseTtlMs: 60 } });
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored({ log }, sessionId, "llm_request");
    await runtime({ agents: [agent], store }).stop(sessionId, user);
    expect((await run.result).stop.type).toBe("aborted");
  });

  it("L10 goes on when the reader goes away, and keeps every event", async () => {
    const { pawl, of } = setup([{ text: "One two three four", delayPerEventMs: 2 }]);
    const run = pawl.run("tester", { ...user, input: "Go" });
    for await (const event of run) if (event.type === "text_delta") break;
    const { stop, text, sessionId } = await run.result;
    expect({ type: stop.type, text }).toEqual({ type: "end_turn", text: "One two three four" });
    expect(await of(sessionId, "run_ended")).toHaveLength(1);
  });

  it("L10 runs without any reader at all, and without anybody awaiting its result", async () => {
    const world = setup([{ text: "Done." }]);
    const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(world, sessionId, "run_ended");
    expect(await world.of(sessionId, "run_ended")).toHaveLength(1);
  });

  it("drains to the next turn boundary and lets another process go on", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = tool({
      name: "work",
      description: "",
      input: text,
      execute: async (_, { signal }) => {
        await promise;
        return signal.aborted ? "aborted" : "done";
      },
    });
    const script = [{ tools: [{ name: "work", input: { text: "" } }] }, { text: "Finished elsewhere." }];
    const world = setup(script, { tools: [work] });
    const { pawl, agent, store, of, model } = world;
    const run = pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "tool_started");
    const draining = pawl.drain();
    await settled();
    resolve();
    await draining;
    expect(await of(sessionId, "tool_result")).toMatchObject([{ data: { result: "done" } }]);
    expect(await of(sessionId, "run_ended")).toHaveLength(0);
    await expect(pawl.run("tester", { ...user, input: "More" }).started).rejects.toThrow(/restart/);
    await expect(run.result).rejects.toSatisfy(code("draining"));
    const next = runtime({ agents: [agent], store });
    expect(await next.sweep()).toBe(1);
    for await (const _ of next.follow(sessionId, { untilIdle: { runId: (await run.started).runId } }));
    expect((await next.view(sessionId, user)).messages.at(-1)?.text).toBe("Finished elsewhere.");
    expect(model.rejected).toEqual([]);
  });

  it("L9 leaves runs that do not reach a turn boundary in time to other processes", async () => {
    const script = [{ text: "never", fault: { stall: 2 } }, { text: "Here." }];
    const { pawl, agent, store, of, log } = setup(script);
    const { sessionId, runId } = await pawl.run("tester", { ...user, input: "Go" }).started;
    await stored({ log }, sessionId, "llm_request");
    await pawl.drain({ timeoutMs: 10 });
    expect(await of(sessionId, "run_ended")).toHaveLength(0);
    const next = runtime({ agents: [agent], store });
    expect(await next.sweep()).toBe(1);
    for await (const _ of next.follow(sessionId, { untilIdle: { runId } }));
    expect((await next.view(sessionId, user)).messages.at(-1)?.text).toBe("Here.");
  });

  it("L9 releases the session when it abandons a tool that ignores its abort signal", async () => {
    const world = setup([{ tools: [{ name: "hang", input: { text: "" } }] }, { text: "Here." }], {
      tools: [hang],
    });
    const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(world, sessionId, "tool_started");
    await world.pawl.drain({ timeoutMs: 10 });
    expect(await world.store.acquire(sessionId, "next", 1_000)).toBeDefined();
    expect(await world.of(sessionId, "run_ended")).toEqual([]);
  });

  it("ends a run here that comes to its end while the process drains", async () => {
    const world = setup([{ text: "One two three four", delayPerEventMs: 2 }]);
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    await stored(world, (await run.started).sessionId, "llm_request");
    await world.pawl.drain();
    expect((await run.result).stop.type).toBe("end_turn");
  });

  it("drains a run that is just being begun, too", async () => {
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<string>();
    const userData = () => {
      asked.resolve();
      return known.promise;
    };
    const { pawl, store, log } = setup([{ text: "Done." }], { userData: { read: userData } });
    const { id: sessionId } = await store.sessions.create({ id: "s1", userId: "u1", agent: "tester" });
    const run = pawl.run("tester", { ...user, sessionId, input: "Go" });
    await asked.promise;
    const draining = pawl.drain();
    await settled();
    known.resolve("data");
    await draining;
    const before = await log(sessionId);
    expect(types(before)).toContain("run_started");
    await run.result.catch(() => undefined);
    await settled();
    expect(await log(sessionId)).toEqual(before);
  });
});

describe("a session that another process takes over", () => {
  it("L9 makes the old leg start and write nothing more, and logs its late result without using it", async () => {
    let clock = 0;
    const store = memoryStore({ now: () => clock });
    const late = Promise.withResolvers<string>();
    const slow = tool({ name: "slow", description: "", input: text, execute: () => late.promise });
    const script = [{ tools: [{ name: "slow", id: "toolu_s", input: { text: "" } }] }];
    const old = setup(script, { tools: [slow] }, { store, times: { leaseTtlMs: 3_000 } });
    const run = old.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(old, sessionId, "tool_started");
    clock += 120_000;
    const next = setup([{ text: "I take over." }], { tools: [slow] }, { store });
    expect(await next.pawl.sweep()).toBe(1);
    const result = await run.result;
    expect(result.text).toBe("I take over.");
    expect(result.actions[0]).toMatchObject({ success: false, result: expect.stringMatching(/cut off/) });
    late.resolve("late");
    await stored(old, sessionId, "error");
    expect((await old.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["late_result"]);
    expect(old.model.requests).toHaveLength(1);
    expect(next.model.rejected).toEqual([]);
  });
});
