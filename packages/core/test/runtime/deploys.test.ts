import { once } from "node:events";
import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { settled } from "../../../../test/support/settled.ts";
import {
  type Agent,
  agentTool,
  type Clock,
  type EventStore,
  memoryStore,
  type Runtime,
  type RuntimeOptions,
  runtime,
  systemClock,
  tool,
} from "../../src/index.ts";
import { localEngine } from "../../src/store.ts";
import { never, type Options, type Setup, setup, stored, types, until, user } from "../support/setup.ts";
import { beforeAppend, failingStore, has } from "../support/stores.ts";
import { hang, nothing } from "../support/tools.ts";
import { endless, gate } from "../support/when-busy.ts";

/** Rejects when the signal aborts. */
async function aborted(signal: AbortSignal): Promise<void> {
  await once(signal, "abort");
  signal.throwIfAborted();
}

/** A process of its own over this store. */
const boot = (
  store: EventStore,
  script: readonly Reply[],
  options: Options = {},
  { times, ...more }: Partial<RuntimeOptions<unknown>> = {},
) => setup(script, options, { store, ...more, times: { pollMs: 10, ...times } });

/** Has a new process resume the run, waits for its next event of this type, and shuts it down in the middle. */
async function deploy(world: Setup, sessionId: string, type: string): Promise<void> {
  const before = (await world.log(sessionId)).filter((event) => event.type === type).length;
  expect(await world.pawl.sweep()).toBe(1);
  await until(async () => (await world.log(sessionId)).filter((one) => one.type === type).length > before);
  await world.pawl.drain({ timeoutMs: 0 });
}

/** Resumes the run and follows it to its end. Returns its log. */
async function finish(world: Setup, sessionId: string, pawl: Runtime = world.pawl) {
  expect(await pawl.sweep()).toBe(1);
  for await (const _ of pawl.follow(sessionId, { untilIdle: true }));
  const log = await world.log(sessionId);
  assertSoundLog(log);
  expect(world.model.rejected).toEqual([]);
  return log;
}

const end = (log: Awaited<ReturnType<typeof finish>>) => log.find(({ type }) => type === "run_ended")?.data;

describe("a deploy in the middle of a turn", () => {
  it("F25 is no crash, however many there are: twelve in one answer", async () => {
    const store = memoryStore();
    const first = boot(store, [endless]);
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "llm_request");
    await first.pawl.drain({ timeoutMs: 0 });
    for (let n = 0; n < 11; n += 1) await deploy(boot(store, [endless]), sessionId, "llm_request");
    const last = boot(store, [{ text: "Done." }]);
    const log = await finish(last, sessionId);
    expect(end(log)).toMatchObject({ stop: { type: "end_turn" } });
    expect(await last.of(sessionId, "run_left")).toHaveLength(12);
    expect((await last.of(sessionId, "run_left"))[0]?.data.reason).toBe("draining");
    expect(await last.of(sessionId, "run_recovered")).toHaveLength(12);
  });

  it("F25 P3 is logged in the append that releases the lease, and not at all if the run settles", async () => {
    const store = memoryStore();
    const released: string[][] = [];
    const releases: unknown[] = [];
    const watched: EventStore = {
      ...beforeAppend(store, (events, _, { release }) => {
        if (release) released.push(types(events));
      }),
      release: async (lease) => {
        releases.push(lease);
        await store.release(lease);
      },
    };
    const first = boot(watched, [endless]);
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "llm_request");
    await first.pawl.drain({ timeoutMs: 0 });
    expect({ released, releases }).toEqual({ released: [["run_left"]], releases: [] });
    const last = boot(watched, [{ text: "Done." }]);
    await finish(last, sessionId);
    await last.pawl.drain();
    expect(released.slice(1)).toEqual([["assistant_message", "llm_response", "run_ended"]]);
  });

  it("F25 at the end of a turn leaves the run for the next process, and is no crash either", async () => {
    const { work, open } = gate();
    const store = memoryStore();
    const first = boot(store, [{ tools: [{ name: "work" }] }], { tools: [work] });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "tool_started");
    const drained = first.pawl.drain({ timeoutMs: 5_000 });
    await settled();
    open();
    await drained;
    expect(types(await first.log(sessionId)).slice(-2)).toEqual(["tool_result", "run_left"]);
    const log = await finish(boot(store, [{ text: "Done." }], { tools: [work] }), sessionId);
    expect(end(log)).toMatchObject({ stop: { type: "end_turn" } });
  });

  it("F25 counts as a crash if the store is gone at that moment", async () => {
    const store = memoryStore();
    const gone = failingStore(store, (events) => has(events, "run_left"));
    // A retry would keep the lease for longer than the process that is shut down.
    const booted = () => boot(gone, [endless], {}, { times: { storeRetryMs: [] } });
    const first = booted();
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "llm_request");
    await first.pawl.drain({ timeoutMs: 0 });
    for (let n = 0; n < 3; n += 1) await deploy(booted(), sessionId, "llm_request");
    expect(end(await finish(boot(store, []), sessionId))).toMatchObject({ stop: { type: "crash_loop" } });
  });

  it("F25 L4 counts as work, so the time limit bounds a turn that no process ever finishes", async () => {
    const limits = { wallClockMs: 400 };
    let passedMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + passedMs };
    const store = memoryStore({ now: clock.now });
    const first = boot(store, [endless], { limits }, { testing: { clock } });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await stored(first, sessionId, "llm_request");
    const isOver = async () => has(await first.log(sessionId), "run_ended");
    // The process that is shut down may be the one that notices that the time is over.
    for (let world = first, n = 0; !(await isOver()); n += 1) {
      expect(n).toBeLessThan(20);
      passedMs += 50;
      await world.pawl.drain({ timeoutMs: 0 });
      const before = (await world.log(sessionId)).length;
      const next = boot(store, [endless], { limits }, { testing: { clock } });
      await until(async () => {
        // On a busy machine, the process before still has the lease for a moment.
        await next.pawl.sweep();
        return has((await next.log(sessionId)).slice(before), "llm_request") || (await isOver());
      });
      world = next;
    }
    expect(end(await first.log(sessionId))).toMatchObject({ stop: { type: "deadline" } });
    assertSoundLog(await first.log(sessionId));
  });

  it.each([
    [true, 2, "worked"],
    [false, 1, "The outcome of this call is unknown: its process was shut down before it finished."],
  ])(
    "F25 T5 L12 runs a call again that was cut off, if idempotent: %s",
    async (idempotent, times, result) => {
      const store = memoryStore();
      const keys: string[] = [];
      const work = tool({
        name: "work",
        description: "",
        input: nothing,
        idempotent,
        execute: async (_, { signal, idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (keys.length === 1) await aborted(signal);
          return "worked";
        },
      });
      const first = boot(store, [{ tools: [{ name: "work" }] }], { tools: [work] });
      const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
      await until(() => keys.length === 1);
      await first.pawl.drain({ timeoutMs: 0 });
      const last = boot(store, [{ text: "Done." }], { tools: [work] });
      await finish(last, sessionId);
      expect(keys).toHaveLength(times);
      expect(new Set(keys).size).toBe(1);
      expect((await last.of(sessionId, "tool_result"))[0]?.data.result).toMatch(result);
    },
  );
});

it("F25 T5 a call whose tool ignores the shutdown has an unknown outcome, and the result says why", async () => {
  const store = memoryStore();
  const first = boot(store, [{ tools: [{ name: "hang" }] }], { tools: [hang] });
  const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(first, sessionId, "tool_started");
  await first.pawl.drain({ timeoutMs: 0 });
  await finish(boot(store, [{ text: "Done." }], { tools: [hang] }), sessionId);
  expect((await first.of(sessionId, "tool_result"))[0]?.data).toMatchObject({
    success: false,
    result: expect.stringMatching(
      /^The outcome of this call is unknown: its process was shut down before it finished\./,
    ),
  });
});

const UNKNOWN =
  "The outcome of this call is unknown: its process was shut down before it finished. It may or may not have taken effect; check before doing it again. Its error: half done";

describe("an idempotent call whose process gives way", () => {
  /** Works until its signal aborts, then returns or throws. */
  const works = (ran: string[], atEnd: () => string) =>
    tool({
      name: "work",
      description: "",
      input: nothing,
      idempotent: true,
      execute: async (_, { signal, callId }) => {
        ran.push(callId);
        if (ran.length === 1) await aborted(signal).catch(() => undefined);
        return atEnd();
      },
    });
  const asks = [{ tools: [{ name: "work" }] }];

  it("F25 T5 L12 keeps a result that the tool still returned, and does not run again", async () => {
    const store = memoryStore();
    const ran: string[] = [];
    const tools = [works(ran, () => "saved")];
    const first = boot(store, asks, { tools });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => ran.length === 1);
    await first.pawl.drain({ timeoutMs: 0 });
    await finish(boot(store, [{ text: "Done." }], { tools }), sessionId);
    expect(ran).toHaveLength(1);
    expect((await first.of(sessionId, "tool_result"))[0]?.data).toMatchObject({
      success: true,
      result: "saved",
    });
  });

  it.each([
    ["Q1 T5 runs again if the engine took the session back", "taken_back", undefined, ["saved"]],
    [
      "Q1 T5 does not run again if that was a time limit",
      "hand_over",
      new DOMException("", "TimeoutError"),
      [UNKNOWN],
    ],
  ])("%s", async (_, reason, why, results) => {
    const store = memoryStore();
    const ran: string[] = [];
    const tools = [
      works(ran, () => {
        if (ran.length === 1) throw new Error("half done");
        return "saved";
      }),
    ];
    const front = boot(store, [], { tools }, { engine: localEngine(), concurrency: 0 });
    const { sessionId } = await front.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(async () => (await store.listRecoverable({ limit: 1 })).length === 1);
    const taken = new AbortController();
    const recovering = boot(store, asks, { tools }).pawl.recover(sessionId, { signal: taken.signal });
    await until(() => ran.length === 1);
    taken.abort(why);
    expect(await recovering).toEqual({ outcome: "left" });
    expect((await front.of(sessionId, "run_left"))[0]?.data.reason).toBe(reason);
    await finish(boot(store, [{ text: "Done." }], { tools }), sessionId);
    expect((await front.of(sessionId, "tool_result")).map(({ data }) => data.result)).toEqual(results);
  });

  it("F25 T5 does not run again if the time of its process was over: it would not fit there either", async () => {
    const store = memoryStore();
    const ran: string[] = [];
    const tools = [
      works(ran, () => {
        throw new Error("half done");
      }),
    ];
    const { clock, skip } = skippingClock();
    const first = boot(store, asks, { tools }, { testing: { clock }, times: { handOverAfterMs: 50_000 } });
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => ran.length === 1);
    skip(60_000);
    await until(async () => has(await first.log(sessionId), "run_left"));
    await finish(boot(store, [{ text: "Done." }], { tools }), sessionId);
    expect(ran).toHaveLength(1);
    expect((await first.of(sessionId, "tool_result"))[0]?.data).toMatchObject({
      success: false,
      result: UNKNOWN,
    });
  });
});

describe("a run that is handed over", () => {
  it("F25 ends as crash_loop if the same answer never fits, even without limits", async () => {
    const store = memoryStore();
    const limits = { wallClockMs: Infinity, turns: Infinity };
    const { clock, skip } = skippingClock();
    const more = { testing: { clock }, times: { handOverAfterMs: 50_000 } };
    const first = boot(store, [endless], { limits }, more);
    const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
    for (let n = 1; n <= 4; n += 1) {
      await until(async () => (await first.of(sessionId, "llm_request")).length === n);
      skip(60_000);
      await until(async () => (await first.of(sessionId, "run_left")).length === n);
      await boot(store, [endless], { limits }, more).pawl.sweep();
    }
    await stored(first, sessionId, "run_ended");
    const [left] = await first.of(sessionId, "run_left");
    expect(left?.data.reason).toBe("hand_over");
    expect(end(await first.log(sessionId))).toMatchObject({ stop: { type: "crash_loop" } });
    expect(await first.of(sessionId, "llm_request")).toHaveLength(4);
    expect((await first.of(sessionId, "spending")).map(({ data }) => data.by)).toEqual(
      Array(4).fill("lost_answer"),
    );
  });

  it("F25 goes on over any number of processes while a sub-agent gets further", async () => {
    const store = memoryStore();
    const { clock, skip } = skippingClock();
    let steps = 0;
    // Only steps use up the time of a process, so that a slow machine hands over no earlier. Two steps fill it,
    // and every fourth step is cut off.
    const step = tool({
      name: "step",
      description: "",
      input: nothing,
      repeatable: true,
      execute: async () => {
        steps += 1;
        const isCutOff = steps % 4 === 0;
        skip(isCutOff ? 60_000 : 22_000);
        if (isCutOff) await never();
      },
    });
    const script: Reply[] = Array.from({ length: 14 }, () => ({ tools: [{ name: "step" }] }));
    const limits = { turns: 20, wallClockMs: Infinity };
    const child = setup([...script, { text: "Far enough." }], { tools: [step], limits });
    const walker = agentTool({ agent: child.agent as Agent<unknown>, name: "walker", description: "Walks." });
    const more = {
      store,
      testing: { clock },
      times: { abortGraceMs: 20, pollMs: 10, handOverAfterMs: 50_000 },
    };
    const parent = setup(
      [{ tools: [{ name: "walker", input: { task: "Walk" } }] }, { text: "Done." }],
      { tools: [walker], limits: { wallClockMs: Infinity } },
      more,
    );
    const { sessionId } = await parent.pawl.run("tester", { ...user, input: "Go" }).started;
    const isOver = async () => has(await parent.log(sessionId), "run_ended");
    for (let n = 1; ; n += 1) {
      await until(async () => (await parent.of(sessionId, "run_left")).length === n || (await isOver()));
      if (await isOver()) break;
      expect(n).toBeLessThan(15);
      const next = runtime({ agents: [parent.agent], ...more });
      await until(async () => (await next.sweep()) > 0);
    }
    expect(end(await parent.log(sessionId))).toMatchObject({ stop: { type: "end_turn" } });
    expect({ steps, left: (await parent.of(sessionId, "run_left")).length }).toEqual({ steps: 14, left: 7 });
    assertSoundLog(await parent.log(sessionId));
    expect([...child.model.rejected, ...parent.model.rejected]).toEqual([]);
  });
});

/** The system clock, and a function that lets so many milliseconds pass at once. */
function skippingClock() {
  let skipped = 0;
  const timers = new Set<{ at: number; fire(): void }>();
  const now = () => Date.now() + skipped;
  const clock: Clock = {
    now,
    after: (ms, then, options) => {
      const timer = {
        at: now() + ms,
        fire: () => {
          cancel();
          then();
        },
      };
      const cancelReal = systemClock.after(ms, timer.fire, options);
      const cancel = () => {
        cancelReal();
        timers.delete(timer);
      };
      timers.add(timer);
      return cancel;
    },
  };
  const skip = (ms: number) => {
    skipped += ms;
    for (const timer of [...timers]) if (timer.at <= now()) timer.fire();
  };
  return { clock, skip };
}
