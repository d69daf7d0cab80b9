import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { memoryStore, PawlError, type Tool } from "../../src/index.ts";
import { type Engine, localEngine } from "../../src/store.ts";
import { setup, stored, until } from "../support/setup.ts";
import { ask, echoTool, question } from "../support/tools.ts";
import { asking, clean, script } from "../support/waits.ts";

const echo = { tools: [{ name: "echo", input: { text: "a" } }] };
const done = { text: "Done." };

/** A process that only takes requests, and one that works for the same engine over the same store. */
function twoProcesses(
  given: Parameters<typeof setup>[0],
  { engine = localEngine(), tools = [echoTool] as readonly Tool[] } = {},
) {
  const store = memoryStore();
  const web = setup([], { tools }, { store, engine, concurrency: 0 });
  const worker = setup(given, { tools }, { store, engine, concurrency: 2 });
  return { web, worker, store, engine };
}

describe("a runtime with an engine", () => {
  it("Q1 takes a message in one process and runs it in another one", async () => {
    const { web, worker } = twoProcesses([echo, done]);
    worker.pawl.start();
    const run = web.pawl.run("tester", { userId: "u1", input: "Go" });
    const { stop, text, sessionId } = await run.result;
    expect([stop.type, text]).toEqual(["end_turn", "Done."]);
    expect(web.model.requests).toEqual([]);
    expect(worker.model.requests).toHaveLength(2);
    assertSoundLog(await worker.log(sessionId));
    await worker.pawl.drain();
  });

  it("Q1 shows the process that took the message what happens in the other one", async () => {
    const { web, worker } = twoProcesses([echo, done]);
    worker.pawl.start();
    const run = web.pawl.run("tester", { userId: "u1", input: "Go" });
    const types = (await Array.fromAsync(run)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["tool_call", "tool_result", "run_ended"]));
    await worker.pawl.drain();
  });

  it("Q1 stores the message, also if the engine has failed, and a sweep runs it", async () => {
    const failing: Engine = {
      ...localEngine(),
      wake: async () => {
        throw new Error("no engine");
      },
    };
    const errors: unknown[] = [];
    const store = memoryStore();
    const options = { store, engine: failing, onError: (error: unknown) => void errors.push(error) };
    const web = setup([], {}, { ...options, concurrency: 0 });
    const run = web.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    const worker = setup([done], {}, { ...options, concurrency: 2 });
    await until(() => errors.length > 0);
    await worker.pawl.sweep({ wait: true });
    expect((await run.result).stop.type).toBe("end_turn");
    assertSoundLog(await worker.log(sessionId));
  });

  it("Q1 a sweep asks an engine that has failed only once, and continues what it has places for", async () => {
    const wakes: string[] = [];
    const failing: Engine = {
      ...localEngine(),
      isExclusive: true,
      wake: async (sessionId) => {
        wakes.push(sessionId);
        throw new Error("no engine");
      },
    };
    const store = memoryStore();
    const options = { store, engine: failing, onError: () => undefined };
    const web = setup([], {}, { ...options, concurrency: 0 });
    const runs = ["one", "two", "three"].map((input) => web.pawl.run("tester", { userId: "u1", input }));
    await Promise.all(runs.map((run) => run.started));
    await until(() => wakes.length === 3);
    const worker = setup({ rules: () => done }, {}, { ...options, concurrency: 5 });
    await worker.pawl.sweep({ wait: true });
    expect(wakes).toHaveLength(4);
    for (const run of runs) expect((await run.result).stop.type).toBe("end_turn");
  });

  it("Q1 continues after an answer that another process took", async () => {
    const { web, worker } = twoProcesses([{ tools: [question] }, done], { tools: [ask] });
    worker.pawl.start();
    const asked = await web.say("Go");
    expect(asked.stop.type).toBe("suspended");
    expect((await web.answer(asked.sessionId, "toolu_q", "blue")).stop.type).toBe("end_turn");
    assertSoundLog(await worker.log(asked.sessionId));
    await worker.pawl.drain();
  });

  it("F26 Q1 wakes a run at the time for which it waits, in another process than the one that suspended it", async () => {
    const clock = testClock();
    const store = memoryStore({ now: clock.now });
    const engine = localEngine({ clock });
    const options = { store, engine, testing: { clock }, concurrency: 2 };
    const first = setup(script.slice(0, 1), { tools: [clean(asking)] }, options);
    first.pawl.start();
    const run = first.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    await stored(first, sessionId, "run_suspended");
    await first.pawl.drain();
    const second = setup(script.slice(1), { tools: [clean(asking)] }, options);
    second.pawl.start();
    await clock.advance(30_000);
    expect((await store.sessions.get(sessionId))?.openRun).not.toBeNull();
    for (let n = 0; n < 5; n += 1) await clock.advance(10_000);
    await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
    assertSoundLog(await second.log(sessionId));
    await second.pawl.drain();
  });

  it.each([
    ["behind", -3_600_000],
    ["ahead", 3_600_000],
  ])(
    "F26 Q1 wakes a run on time if the process's clock is %s, and stores nothing before that",
    async (_, ms) => {
      const clock = testClock();
      const store = memoryStore({ now: clock.now });
      const inner = localEngine({ clock });
      const calls: string[] = [];
      const engine: Engine = {
        ...inner,
        work: (handler, options) => {
          const counted: typeof handler = async (woken) => {
            calls.push(woken.sessionId);
            await handler(woken);
          };
          return inner.work(counted, options);
        },
      };
      const wrong = { ...clock, now: () => clock.now() + ms };
      const worker = setup(
        script,
        { tools: [clean(asking)] },
        { store, engine, testing: { clock: wrong }, concurrency: 2 },
      );
      worker.pawl.start();
      const { sessionId } = await worker.pawl.run("tester", { userId: "u1", input: "Go" }).started;
      await stored(worker, sessionId, "run_suspended");
      calls.length = 0;
      await engine.wake(sessionId);
      await clock.advance(59_000);
      expect(calls.length).toBeLessThan(5);
      expect((await store.sessions.get(sessionId))?.openRun).not.toBeNull();
      await clock.advance(1_001);
      await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
      expect(await worker.of(sessionId, "run_suspended")).toHaveLength(1);
      await worker.pawl.drain();
    },
  );

  it("Q1 keeps a run with credentials in the process that has them", async () => {
    const { web, worker } = twoProcesses([]);
    worker.pawl.start();
    const own = setup([done], {}, { store: web.store, engine: localEngine(), concurrency: 0 });
    const run = own.pawl.run("tester", { userId: "u1", input: "Go", credentials: { token: "t" } });
    expect((await run.result).stop.type).toBe("end_turn");
    expect(own.model.requests).toHaveLength(1);
    await worker.pawl.drain();
  });

  it("Q1 lets an exclusive engine take the lease of a dead worker at once", async () => {
    const engine: Engine = { ...localEngine(), isExclusive: true };
    const store = memoryStore();
    const web = setup([], {}, { store, engine, concurrency: 0 });
    const { sessionId } = await web.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    // A worker that has died with the lease.
    expect(await store.acquire(sessionId, "engine", 10_000_000)).toBeDefined();
    const worker = setup([done], {}, { store, engine });
    worker.pawl.start();
    await until(async () => (await store.sessions.get(sessionId))?.openRun === null);
    assertSoundLog(await worker.log(sessionId));
    await worker.pawl.drain();
  });

  it.each([
    [{ concurrency: -1 }, "concurrency"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ concurrency: 0 }, "`concurrency: 0` needs an `engine`"],
    [{ engine: {} }, "engine"],
  ])("U1 refuses %j", (options, name) => {
    expect(() => setup([], {}, options as never)).toThrow(name);
  });
});

describe("recover()", () => {
  /** A process that stores a message for a run and does not work on it. */
  const abandoned = async (tools: readonly Tool[] = []) => {
    const store = memoryStore();
    const web = setup([], { tools }, { store, engine: localEngine(), concurrency: 0 });
    const { sessionId } = await web.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await until(async () => (await store.listRecoverable({ limit: 1 })).length === 1);
    return { store, sessionId };
  };

  it("Q1 continues a session, and resolves once its run has ended", async () => {
    const { store, sessionId } = await abandoned();
    const { pawl } = setup([done], {}, { store });
    expect(await pawl.recover(sessionId)).toEqual({ outcome: "ended" });
    expect((await store.sessions.get(sessionId))?.openRun).toBeNull();
    expect(await pawl.recover(sessionId)).toEqual({ outcome: "ended" });
    expect(await pawl.recover("unknown")).toEqual({ outcome: "ended" });
  });

  it("Q1 tells that another process is working on it, and when to try once more", async () => {
    const { store, sessionId } = await abandoned();
    await store.acquire(sessionId, "another", 60_000);
    const { pawl } = setup([], {}, { store });
    expect(await pawl.recover(sessionId)).toEqual({ outcome: "busy", afterMs: 3_334 });
  });

  it("Q1 is to be called again only after a lease time if the run cannot be resumed here", async () => {
    const { store, sessionId } = await abandoned();
    const other = setup([], { name: "other" }, { store });
    expect(await other.pawl.recover(sessionId)).toEqual({ outcome: "busy", afterMs: 10_000 });
  });

  it("Q1 tells for what a run waits", async () => {
    const tools = [clean(asking)];
    const { store, sessionId } = await abandoned(tools);
    const { pawl } = setup(script.slice(0, 1), { tools }, { store });
    const waits = await pawl.recover(sessionId);
    expect(waits.outcome).toBe("waiting");
    expect(waits.afterMs).toBeGreaterThan(0);
    const { lastSeq } = (await store.sessions.get(sessionId))!;
    const again = await pawl.recover(sessionId);
    expect(again.outcome).toBe("waiting");
    expect(again.afterMs).toBeLessThanOrEqual(waits.afterMs ?? 0);
    expect((await store.sessions.get(sessionId))?.lastSeq).toBe(lastSeq);
    await pawl.drain();
  });

  it("Q1 gives the run to another process if its signal aborts", async () => {
    const { store, sessionId } = await abandoned();
    const stop = new AbortController();
    const { pawl } = setup(
      {
        rules: async () => {
          stop.abort();
          return await new Promise<never>(() => undefined);
        },
      },
      {},
      { store },
    );
    expect(await pawl.recover(sessionId, { signal: stop.signal })).toEqual({ outcome: "left" });
    const other = setup([done], {}, { store });
    expect(await other.pawl.recover(sessionId)).toEqual({ outcome: "ended" });
    assertSoundLog(await other.log(sessionId));
  });

  it("C12 Q1 resolves only once the run of a message that was queued meanwhile has ended, too", async () => {
    const { store, sessionId } = await abandoned();
    const gate = Promise.withResolvers<void>();
    const texts = ["One.", "Two."];
    const world = setup(
      {
        rules: async () => {
          if (texts.length === 2) await gate.promise;
          return { text: texts.shift() ?? "" };
        },
      },
      { whenBusy: "queue" },
      { store },
    );
    let isOver = false;
    const recovering = world.pawl.recover(sessionId).finally(() => {
      isOver = true;
    });
    await until(() => world.model.requests.length === 1);
    const queued = world.pawl.run("tester", { userId: "u1", sessionId, input: "And?" });
    await queued.started;
    expect(isOver).toBe(false);
    gate.resolve();
    expect(await recovering).toEqual({ outcome: "ended" });
    expect(texts).toEqual([]);
    expect((await queued.result).stop.type).toBe("end_turn");
  });

  it("Q1 takes no lease from a busy worker of an exclusive engine", async () => {
    const engine: Engine = { ...localEngine(), isExclusive: true };
    const store = memoryStore();
    const web = setup([], {}, { store, engine, concurrency: 0 });
    const { sessionId } = await web.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await until(async () => (await store.listRecoverable({ limit: 1 })).length === 1);
    expect(await store.acquire(sessionId, "engine", 60_000)).toBeDefined();
    const other = setup([], {}, { store, engine: { ...localEngine(), isExclusive: true } });
    expect((await other.pawl.recover(sessionId)).outcome).toBe("busy");
  });

  it("U1 refuses what is no session id", async () => {
    const { pawl } = setup([]);
    const refused = await pawl.recover(7 as never).catch((error: unknown) => error);
    expect(PawlError.is(refused, "invalid_input")).toBe(true);
  });
});
