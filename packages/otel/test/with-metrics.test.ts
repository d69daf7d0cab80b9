import { DiagLogLevel, diag } from "@opentelemetry/api";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { agent, type EventStore, memoryStore, PawlError, runtime, tool } from "@pawl/core";
import { type Engine, localEngine } from "@pawl/core/store";
import { type Script, scriptedModel, type TestClock, testClock } from "@pawl/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type MetricOptions, withMetrics } from "../src/index.ts";

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** Reads the metrics of one process. */
function meters() {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  const points = async (name: string) => {
    const { resourceMetrics } = await reader.collect();
    const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    return all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  };
  const value = async (name: string) => (await points(name))[0]?.value;
  return { meter: provider.getMeter("test"), points, value };
}

const color = tool({
  name: "color",
  description: "Asks for a color.",
  input: z.object({}),
  suspends: { answer: z.string() },
});

interface ProcessOptions extends Pick<MetricOptions, "strandedAfterMs"> {
  concurrency?: number;
  clock?: TestClock;
}

/** A store, and processes that use it, each with metrics of its own. */
function setup(engine?: Engine) {
  const clock = testClock();
  const log = memoryStore({ now: clock.now });
  const process = (script: Script, { concurrency, strandedAfterMs, ...options }: ProcessOptions = {}) => {
    const measured = meters();
    const given = { meter: measured.meter, clock, ...(strandedAfterMs !== undefined && { strandedAfterMs }) };
    const model = scriptedModel(script);
    const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [color] });
    const pawl = runtime({
      agents: [coach],
      store: withMetrics(log, given),
      testing: { clock: options.clock ?? clock },
      onError: () => undefined,
      ...(engine && { engine }),
      ...(concurrency !== undefined && { concurrency }),
    });
    return { pawl, ...measured };
  };
  return { log, clock, process };
}

/** A model whose answer waits for `answer()`. */
function heldModel() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const script: Script = async () => {
    asked.resolve();
    await answered.promise;
    return { text: "Hello." };
  };
  return { script, asked: asked.promise, answer: answered.resolve };
}

const hello = { userId: "ada", input: "Hi" };

describe("withMetrics()", () => {
  it("O3 Q1 counts a run as active while this process works on it", async () => {
    const held = heldModel();
    const { pawl, value } = setup().process(held.script);
    const run = pawl.run("coach", hello);
    await held.asked;
    expect(await value("pawl.run.active")).toBe(1);
    held.answer();
    await run.result;
    expect(await value("pawl.run.active")).toBe(0);
  });

  it("O3 counts how runs end, without ids of sessions and users", async () => {
    const { pawl, points } = setup().process([{ text: "Hello." }]);
    await pawl.run("coach", hello).result;
    const [point, ...others] = await points("pawl.run.ended");
    expect(others).toEqual([]);
    expect(point?.attributes).toEqual({ "pawl.stop": "end_turn" });
    expect(point?.value).toBe(1);
  });

  it("O3 Q1 measures by the store's clock how long a run waited for a process", async () => {
    const { clock, process } = setup(localEngine());
    const web = process([], { concurrency: 0 });
    const run = web.pawl.run("coach", hello);
    await run.started;
    await clock.advance(3_000);
    const worker = process([{ text: "Hello." }], { concurrency: 2 });
    worker.pawl.start();
    await run.result;
    expect(await worker.value("pawl.run.wake.duration")).toMatchObject({ count: 1, sum: 3 });
    expect(await web.value("pawl.run.wake.duration")).toBeUndefined();
    await worker.pawl.drain();
  });

  it("O3 does not measure a run that begins where its message came, or its answer", async () => {
    const { pawl, value } = setup().process([{ tools: [{ name: "color", input: {} }] }, { text: "Blue!" }]);
    const { sessionId, pending } = await pawl.run("coach", hello).result;
    const answers = pending.map(({ callId }) => ({ callId, value: "blue" }));
    const { stop } = await pawl.run("coach", { userId: "ada", sessionId, answers }).result;
    expect(stop.type).toBe("end_turn");
    expect(await value("pawl.run.wake.duration")).toBeUndefined();
  });

  it("O3 Q1 counts a takeover where a process has died, and forgets the lease that it had", async () => {
    const { clock, process } = setup();
    const held = heldModel();
    // Its clock stands still, so it renews no lease.
    const frozen = process(held.script, { clock: testClock() });
    const run = frozen.pawl.run("coach", hello);
    run.result.catch(() => undefined);
    await held.asked;
    await clock.advance(11_000);
    const next = process([{ text: "Hello." }]);
    await next.pawl.sweep({ wait: true });
    expect(await next.value("pawl.run.takeovers")).toBe(1);
    expect(await next.value("pawl.run.wake.duration")).toBeUndefined();
    held.answer();
    await run.result.catch(() => undefined);
    expect(await frozen.value("pawl.run.active")).toBe(0);
    expect(await frozen.value("pawl.run.ended")).toBeUndefined();
  });

  it("O3 F25 counts a run that a process leaves when it is drained", async () => {
    const held = heldModel();
    const { clock, process } = setup();
    const { pawl, points } = process(held.script);
    pawl.run("coach", hello).result.catch(() => undefined);
    await held.asked;
    const drained = pawl.drain({ timeoutMs: 1_000 });
    await clock.advance(10_000);
    await drained;
    const [point] = await points("pawl.run.handovers");
    expect([point?.value, point?.attributes]).toEqual([1, { "pawl.reason": "draining" }]);
  });

  it("O3 F25 a run that was left is no takeover, but waits like one that was woken", async () => {
    const held = heldModel();
    const { clock, process } = setup();
    const { pawl } = process(held.script);
    pawl.run("coach", hello).result.catch(() => undefined);
    await held.asked;
    const drained = pawl.drain({ timeoutMs: 1_000 });
    await clock.advance(10_000);
    await drained;
    const next = process([{ text: "Hello." }]);
    await next.pawl.sweep({ wait: true });
    expect(await next.value("pawl.run.takeovers")).toBeUndefined();
    // `drain()` waited a second for the turn, and one for the aborted call.
    expect(await next.value("pawl.run.wake.duration")).toMatchObject({ count: 1, sum: 8 });
  });

  it("O3 Q1 counts waiting runs of the whole store, and those that nobody takes", async () => {
    const { clock, process } = setup(localEngine());
    const web = process([], { concurrency: 0, strandedAfterMs: 20_000 });
    await web.pawl.run("coach", hello).started;
    await clock.advance(15_000);
    await web.pawl.run("coach", hello).started;
    const elsewhere = process([], { concurrency: 0, strandedAfterMs: 20_000 });
    expect(await elsewhere.value("pawl.run.waiting")).toBe(2);
    expect(await elsewhere.value("pawl.run.stranded")).toBe(0);
    await clock.advance(10_000);
    expect(await elsewhere.value("pawl.run.stranded")).toBe(1);
  });

  it("O3 L11 a meter that fails does not touch the run", async () => {
    const errors: unknown[] = [];
    const note = (_: string, error: unknown) => void errors.push(error);
    const none = () => undefined;
    diag.setLogger({ error: note, warn: none, info: none, debug: none, verbose: none }, DiagLogLevel.ERROR);
    onTestFinished(() => diag.disable());
    const { meter } = meters();
    const failing = new Proxy(meter, {
      get: (target, name: keyof typeof meter) =>
        name !== "createCounter"
          ? target[name].bind(target)
          : () => ({
              add: () => {
                throw new Error("no meter");
              },
            }),
    });
    const store = withMetrics(memoryStore(), { meter: failing });
    const coach = agent({
      name: "coach",
      model: scriptedModel([{ text: "Hello." }]),
      instructions: "Be kind.",
    });
    const { stop } = await runtime({ agents: [coach], store }).run("coach", hello).result;
    expect(stop.type).toBe("end_turn");
    expect(errors.map(String)).toEqual(["Error: no meter"]);
  });

  it("O3 reports no number of waiting runs while the store fails", async () => {
    const { meter, value } = meters();
    const listRecoverable: EventStore["listRecoverable"] = async () => {
      throw new PawlError("store_unavailable", "store");
    };
    withMetrics({ ...memoryStore(), listRecoverable }, { meter });
    expect(await value("pawl.run.waiting")).toBeUndefined();
    expect(await value("pawl.run.active")).toBe(0);
  });

  it("O3 reports no number of waiting runs while the store hangs", async () => {
    const { meter, value } = meters();
    const clock = testClock();
    const asked = Promise.withResolvers<void>();
    const listRecoverable: EventStore["listRecoverable"] = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    withMetrics({ ...memoryStore(), listRecoverable }, { meter, clock });
    const waiting = value("pawl.run.waiting");
    await asked.promise;
    await clock.advance(5_000);
    expect(await waiting).toBeUndefined();
  });
});
