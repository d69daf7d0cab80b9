import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { type EventStore, memoryStore } from "../../src/index.ts";
import { type Engine, localEngine, type WakeOptions } from "../../src/store.ts";
import { setup, until } from "../support/setup.ts";
import { ask, echoTool, question } from "../support/tools.ts";

/** An engine that notes what was woken, in which transaction. */
function notingEngine(failing: "never" | "in transactions" = "never") {
  const engine = localEngine();
  const wakes: (WakeOptions & { sessionId: string })[] = [];
  const noting: Engine = {
    ...engine,
    takesTransaction: true,
    wake: async (sessionId, options = {}) => {
      if (options.transaction !== undefined && failing === "in transactions") throw new Error("no table");
      wakes.push({ sessionId, ...options });
      await engine.wake(sessionId, options);
    },
  };
  return { engine: noting, wakes };
}

/** A store whose transactions are the text `tx`. */
function transactional(inner: EventStore) {
  const released: boolean[] = [];
  const store: EventStore = {
    ...inner,
    appendWith: async (sessionId, events, options, also) => {
      await also("tx");
      released.push(options.release === true);
      return await inner.append(sessionId, events, options);
    },
  };
  return { store, released };
}

/** A process that only takes requests, and one that works once it is started. */
function processes(
  replies: Parameters<typeof setup>[0],
  { engine, wakes } = notingEngine(),
  store: EventStore = transactional(memoryStore()).store,
) {
  const shared = { store, engine, times: { leaseTtlMs: 60_000 } };
  const web = setup([], { tools: [ask, echoTool] }, { ...shared, concurrency: 0 });
  const worker = setup(replies, { tools: [ask, echoTool] }, { ...shared, concurrency: 2 });
  return { web, worker, wakes, store };
}

const done = { text: "Done." };

describe("a message for which this process has no place", () => {
  it("Q1 Q2 is stored with its wake and the lease's release in one transaction", async () => {
    const { web, worker, wakes, store } = processes([done]);
    const run = web.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    expect(wakes).toEqual([{ sessionId, userId: "u1", transaction: "tx" }]);
    // Nobody else would get the lease before it expires.
    const lease = await store.acquire(sessionId, "other", 1);
    expect(lease).toBeDefined();
    if (lease !== undefined) await store.release(lease);
    worker.pawl.start();
    expect((await run.result).stop.type).toBe("end_turn");
    assertSoundLog(await web.log(sessionId));
    expect(wakes).toHaveLength(1);
    await worker.pawl.drain();
  });

  it("Q1 is stored, and woken after that, if the engine fails in the transaction", async () => {
    expectPrinted("pawl: no table");
    const { web, worker, wakes } = processes([done], notingEngine("in transactions"));
    worker.pawl.start();
    const { sessionId, stop } = await web.say("Go");
    expect(stop.type).toBe("end_turn");
    expect(wakes).toEqual([{ sessionId, userId: "u1" }]);
    await worker.pawl.drain();
  });

  it("Q1 is stored without its wake if the engine does not answer in the transaction, which is reported", async () => {
    const { engine, wakes } = notingEngine();
    const hanging: Engine = {
      ...engine,
      wake: async (sessionId, options = {}) => {
        if (options.transaction === undefined) return await engine.wake(sessionId, options);
        return await new Promise(() => undefined);
      },
    };
    const clock = testClock();
    const errors: unknown[] = [];
    const store = transactional(memoryStore()).store;
    const onError = (error: unknown) => void errors.push(error);
    const web = setup([], {}, { store, engine: hanging, concurrency: 0, testing: { clock }, onError });
    const run = web.pawl.run("tester", { userId: "u1", input: "Go" });
    let sessionId: string | undefined;
    void run.started.then((start) => {
      sessionId = start.sessionId;
    });
    await until(() => {
      clock.advance(100);
      return wakes.length > 0;
    });
    expect(wakes).toEqual([{ sessionId, userId: "u1" }]);
    expect(errors).toHaveLength(1);
  });

  it("Q1 is woken after it is stored if the store has no transactions", async () => {
    const { web, worker, wakes } = processes([done], notingEngine(), memoryStore());
    worker.pawl.start();
    const { sessionId } = await web.say("Go");
    expect(wakes).toEqual([{ sessionId, userId: "u1" }]);
    await worker.pawl.drain();
  });

  it("Q1 an answer is stored with its wake", async () => {
    const { web, worker, wakes } = processes([{ tools: [question] }, done]);
    worker.pawl.start();
    const { sessionId } = await web.say("Go");
    wakes.length = 0;
    expect((await web.answer(sessionId, "toolu_q", "blue")).stop.type).toBe("end_turn");
    expect(wakes).toEqual([{ sessionId, userId: "u1", transaction: "tx" }]);
    assertSoundLog(await web.log(sessionId));
    await worker.pawl.drain();
  });

  it("Q1 a message for a run that nobody works on is stored with its wake", async () => {
    const { web, worker, wakes } = processes([done, done]);
    const first = web.pawl.run("tester", { userId: "u1", input: "One" });
    const { sessionId } = await first.started;
    wakes.length = 0;
    const second = web.pawl.run("tester", { userId: "u1", sessionId, input: "Two", whenBusy: "queue" });
    await second.started;
    expect(wakes).toEqual([{ sessionId, userId: "u1", transaction: "tx" }]);
    worker.pawl.start();
    expect((await second.result).stop.type).toBe("end_turn");
    await worker.pawl.drain();
  });
});

describe("a process with a place", () => {
  it("Q1 stores a message without a transaction and without a wake", async () => {
    const { engine, wakes } = notingEngine();
    const { store, released } = transactional(memoryStore());
    const { say } = setup([done], {}, { store, engine, concurrency: 1 });
    await say("Go");
    expect([wakes, released]).toEqual([[], []]);
  });
});
