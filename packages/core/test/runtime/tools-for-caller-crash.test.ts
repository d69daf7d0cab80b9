import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type Agent, jsonSchema, memoryStore, tool } from "../../src/index.ts";
import { admin, calling, doing, done, guest, prefixes, results, sentTools } from "../support/for-caller.ts";
import { looking } from "../support/hooks.ts";
import { never, setup, stored, until, user } from "../support/setup.ts";
import { beforeAppend, dyingStore, has } from "../support/stores.ts";

/** A run whose process dies before (or while) its tool runs; `next` boots the process after it. */
async function dead(when: "called" | "started") {
  let time = 0;
  const store = memoryStore({ now: () => time });
  const dying = dyingStore(store, (events) => has(events, when === "called" ? "tool_call" : "tool_started"));
  const hooks = when === "called" ? [looking] : [];
  const tools = () => [doing("look"), doing("remove")];
  const old = setup([calling("remove")], { tools, hooks }, { store: dying });
  const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go", ...admin }).started;
  await until(() => dying.dead);
  time += 60_000;
  const reported: unknown[] = [];
  const next = (tools: Agent["toolsFor"] & {}, clock?: number) => {
    time += clock ?? 0;
    return setup([done, done], { tools }, { store, onError: (error) => reported.push(error) });
  };
  return { sessionId, next, reported, pass: (ms: number) => (time += ms) };
}

describe("F19 a tool that is gone in the middle of a run", () => {
  it("answers that it is not available, and the prompt keeps its tools", async () => {
    const { sessionId, next } = await dead("called");
    const world = next(() => [doing("look")]);
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect(await results(world, sessionId)).toEqual(['The tool "remove" is not available any more.']);
    expect(sentTools(world)).toEqual(["look remove"]);
    expect(await prefixes(world, sessionId)).toEqual(["look remove"]);
    expect(world.model.rejected).toEqual([]);
  });

  it("answers that its outcome is unknown if it had started", async () => {
    const { sessionId, next } = await dead("started");
    const world = next(() => [doing("look")]);
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect(await results(world, sessionId)).toEqual([
      expect.stringMatching(/^The outcome of this call is unknown: .*"remove" is not available any more\./),
    ]);
  });

  it("is read for the run's own caller, also where another one resumes it", async () => {
    const { sessionId, next } = await dead("called");
    const ran: string[] = [];
    const world = next(({ caller }) =>
      caller.role === "admin" ? [doing("look", ran), doing("remove", ran)] : [],
    );
    await expect(world.say("Hello?", { sessionId, ...guest })).rejects.toMatchObject({
      code: "session_busy",
    });
    await stored(world, sessionId, "run_ended");
    expect(ran).toEqual(["remove for admin"]);
  });

  it("leaves the prompt as it is for the next run, if that run has the tool again", async () => {
    const { sessionId, next } = await dead("called");
    let times = 0;
    const [look, remove] = [doing("look"), doing("remove")];
    const world = next(() => {
      times += 1;
      return times === 1 ? [look] : [look, remove];
    });
    await world.pawl.run("tester", { ...user, sessionId, input: "And?", whenBusy: "interrupt", ...admin })
      .result;
    expect(times).toBe(2);
    expect(await prefixes(world, sessionId)).toEqual(["look remove"]);
    expect(await world.of(sessionId, "run_started")).toHaveLength(2);
  });

  it("cannot be replaced by one that the model was not given", async () => {
    const ran: string[] = [];
    const { sessionId, next } = await dead("called");
    const world = next(() => [doing("look", ran), doing("other", ran)]);
    const other = setup(
      [calling("other"), done],
      { tools: () => [doing("other", ran)] },
      { store: world.store },
    );
    await other.pawl.sweep();
    await stored(other, sessionId, "run_ended");
    expect((await results(other, sessionId)).at(-1)).toBe('There is no tool named "other".');
    expect(ran).toEqual([]);
  });
});

describe("F19 a function `tools` that fails when a run is resumed", () => {
  it("is reported once and tried again, and neither loses the run nor ends it as a crash loop", async () => {
    const { sessionId, next, reported } = await dead("called");
    let left = 6;
    const store = next(() => []).store;
    const ran: string[] = [];
    let now = 0;
    const world = setup(
      [done],
      {
        tools: () => {
          if (left-- > 0) throw new Error("down");
          return [doing("look", ran), doing("remove", ran)];
        },
      },
      {
        store,
        onError: (error) => reported.push(error),
        testing: { clock: { now: () => now, after: () => () => undefined } },
      },
    );
    for (; left >= 0; now += 20 * 60_000) expect(await world.pawl.sweep()).toBeLessThan(2);
    await stored(world, sessionId, "run_ended");
    expect(reported).toMatchObject([{ code: "tools_failed" }]);
    expect(ran).toEqual(["remove for admin"]);
    expect((await world.of(sessionId, "run_recovered")).length).toBe(1);
  });

  it("does not keep the user from stopping the run", async () => {
    const { sessionId, next } = await dead("called");
    const world = next(() => {
      throw new Error("down");
    });
    await world.pawl.stop(sessionId, user);
    await stored(world, sessionId, "run_ended");
    const [ended] = await world.of(sessionId, "run_ended");
    expect(ended?.data.stop.type).toBe("aborted");
  });

  it("rejects the result of an answer, which stays stored and counts later", async () => {
    let isDown = false;
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: jsonSchema({ type: "object" }),
      suspends: { answer: jsonSchema<string>({ type: "string", minLength: 2 }) },
    });
    const world = setup([calling("ask"), done], {
      tools: () => {
        if (isDown) throw new Error("down");
        return [ask];
      },
    });
    const { sessionId, pending } = await world.say("Go");
    const callId = pending[0]?.callId ?? "";
    await expect(world.answer(sessionId, callId, 5)).rejects.toMatchObject({ code: "invalid_answer" });
    isDown = true;
    const answers = [{ callId, value: "yes" }];
    const run = world.pawl.run("tester", { ...user, sessionId, answers });
    await run.started;
    await expect(run.result).rejects.toMatchObject({ code: "tools_failed" });
    isDown = false;
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect(await results(world, sessionId)).toEqual(["yes"]);
  });

  it("leaves the run of a queued message to a later sweep", async () => {
    const gate = Promise.withResolvers<void>();
    let isDown = false;
    const reported: unknown[] = [];
    const slow = tool({
      name: "slow",
      description: "",
      input: jsonSchema({ type: "object" }),
      execute: () => gate.promise,
    });
    const world = setup(
      [calling("slow"), done],
      {
        whenBusy: "queue",
        limits: { turns: 1 },
        tools: () => {
          if (isDown) throw new Error("down");
          return [slow];
        },
      },
      { onError: (error) => reported.push(error) },
    );
    const first = world.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await first.started;
    await stored(world, sessionId, "tool_started");
    const second = world.pawl.run("tester", { ...user, sessionId, input: "And?" });
    await second.started;
    isDown = true;
    gate.resolve();
    expect((await first.result).stop.type).toBe("turn_limit");
    await until(() => reported.length > 0);
    isDown = false;
    await until(async () => (await world.pawl.sweep()) > 0);
    expect((await second.result).text).toBe("Done.");
    expect(reported).toMatchObject([{ code: "tools_failed" }]);
  });

  it("does not delay other sessions", async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    let died = 0;
    const dying = beforeAppend(store, async (events) => {
      if (!has(events, "llm_request")) return;
      died += 1;
      await never();
    });
    // With a hook of the application's, the run starts before its request is stored.
    const hooks = [{ name: "looks", beforeTurn: () => undefined }];
    const old = setup([], { hooks }, { store: dying });
    for (let n = 0; n < 10; n += 1) await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => died === 10);
    time += 60_000;
    const clock = testClock();
    const world = setup(
      [],
      { tools: () => never(), toolsTimeoutMs: 500 },
      { store, testing: { clock }, onError: () => undefined },
    );
    let isOver = false;
    const sweeping = world.pawl.sweep().finally(() => {
      isOver = true;
    });
    for (let passedMs = 0; passedMs < 4_500 && !isOver; passedMs += 500) await clock.advance(500);
    // One after the other would take five seconds.
    expect(isOver).toBe(true);
    await sweeping;
  });
});
