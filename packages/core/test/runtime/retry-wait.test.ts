import { type Reply, testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  type ModelClient,
  memoryStore,
  PawlError,
  type RetryOptions,
  type RuntimeOptions,
  withRetry,
} from "../../src/index.ts";
import { localEngine } from "../../src/store.ts";
import { setup, stored, until, user } from "../support/setup.ts";

const limited: Reply = { fault: { status: 429, retryAfter: 60 } };
const done: Reply = { text: "Done." };

/** A process with one place, whose model is retried after a wait. `sleeps` are the waits in the process. */
function worker(
  script: readonly Reply[],
  { retry, ...given }: Partial<RuntimeOptions<unknown>> & { retry?: RetryOptions } = {},
  around: (model: ModelClient) => ModelClient = (model) => model,
) {
  const clock = (given.testing?.clock as ReturnType<typeof testClock> | undefined) ?? testClock();
  const sleeps: number[] = [];
  const sleep = async (ms: number) => void sleeps.push(ms);
  const store = given.store ?? memoryStore({ now: clock.now });
  const options = { engine: localEngine({ clock }), concurrency: 1, ...given, store, testing: { clock } };
  const world = setup(script, {}, options, (model) => withRetry(around(model), { sleep, ...retry }));
  world.pawl.start();
  return { ...world, clock, sleeps, options };
}

it("F26 Q2 frees its place for another run while the model is not to be asked", async () => {
  const world = worker([limited, { text: "Second." }, { text: "First." }]);
  const first = world.pawl.run("tester", { ...user, input: "First" });
  const { sessionId } = await first.started;
  await stored(world, sessionId, "run_suspended");
  expect((await world.say("Second")).text).toBe("Second.");
  await world.clock.advance(60_001);
  expect(await first.result).toMatchObject({ text: "First.", stop: { type: "end_turn" } });
  expect(world.sleeps).toEqual([]);
  assertSoundLog(await world.log(sessionId));
  const errors = await world.of(sessionId, "error");
  expect(errors.map(({ data }) => data.context)).toMatchObject([{ will_retry: true, retry_in_ms: 60_000 }]);
  await world.pawl.drain();
});

it("F26 Q1 is resumed by another process if the one that was refused is gone", async () => {
  const first = worker([limited]);
  const { sessionId } = await first.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(first, sessionId, "run_suspended");
  await first.pawl.drain();
  const second = worker([done], first.options);
  await first.clock.advance(60_001);
  await until(async () => (await first.store.sessions.get(sessionId))?.openRun === null);
  assertSoundLog(await second.log(sessionId));
  expect((await second.pawl.view(sessionId, user)).messages.at(-1)?.parts).toMatchObject([{ text: "Done." }]);
  await second.pawl.drain();
});

it("F26 L6 drops the text of an answer that broke off before the wait", async () => {
  const readers = { seen: Promise.withResolvers<void>() };
  const world = worker(
    [{ text: "Half of an answer." }, done],
    { retry: { baseMs: 6_000, jitter: 0 } },
    (model) => {
      let requests = 0;
      return {
        ...model,
        async *stream(request, bounds) {
          requests += 1;
          const breaks = requests === 1;
          for await (const event of model.stream(request, bounds)) {
            yield event;
            if (!breaks || event.type !== "content_block_stop") continue;
            await readers.seen.promise;
            throw new PawlError("model_error", "cut", { details: { retryable: true } });
          }
        },
      };
    },
  );
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const types: string[] = [];
  for await (const { type } of run) {
    types.push(type);
    if (type === "text_delta") readers.seen.resolve();
    if (type === "run_suspended") await world.clock.advance(6_001);
  }
  expect((await run.result).text).toBe("Done.");
  expect(types.slice(types.indexOf("attempt_restarted")).slice(0, 2)).toEqual([
    "attempt_restarted",
    "run_suspended",
  ]);
  await world.pawl.drain();
});

it("F26 counts the waits among the retries of the model", async () => {
  expectPrinted("This request would exceed your organization's rate limit.");
  const world = worker(Array.from({ length: 4 }, () => limited));
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  for (let count = 1; count <= 3; count += 1) {
    await until(async () => (await world.of(sessionId, "run_suspended")).length === count);
    await world.clock.advance(60_001);
  }
  expect((await run.result).stop.type).toBe("error");
  expect(world.model.requests).toHaveLength(4);
  expect(world.sleeps).toEqual([]);
  await world.pawl.drain();
});

it("F26 leaves ten times in a row at most if the model does not count, as waiting counts towards no limit", async () => {
  expectPrinted("This request would exceed your organization's rate limit.");
  const world = worker(
    Array.from({ length: 14 }, () => limited),
    {},
    (model) => ({
      ...withRetry(model, { sleep: async () => undefined }),
      stream: (request, { failedAttempts: _, ...bounds }) =>
        withRetry(model, { sleep: async () => undefined }).stream(request, bounds),
    }),
  );
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  for (let count = 1; count <= 10; count += 1) {
    await until(async () => (await world.of(sessionId, "run_suspended")).length === count);
    await world.clock.advance(60_001);
  }
  expect((await run.result).stop.type).toBe("error");
  expect(await world.of(sessionId, "run_suspended")).toHaveLength(10);
  await world.pawl.drain();
});

it("F26 L4 is stopped while it waits", async () => {
  const world = worker([limited]);
  const run = world.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  await stored(world, sessionId, "run_suspended");
  await world.pawl.stop(sessionId, user);
  expect((await run.result).stop.type).toBe("aborted");
  assertSoundLog(await world.log(sessionId));
  await world.pawl.drain();
});

it.each([
  ["a short wait", [{ fault: { status: 429, retryAfter: 4 } }, done], {}, {}],
  ["a run with credentials", [limited, done], {}, { credentials: { token: "secret-token" } }],
  // twin: F26 Q2 frees its place for another run while the model is not to be asked
  ["a platform that freezes it", [limited, done], { waitUntil: () => undefined, engine: undefined }, {}],
  // twin: F26 Q2 frees its place for another run while the model is not to be asked
  ["a process without an engine", [limited, done], { engine: undefined, concurrency: undefined }, {}],
] as const)("F26 keeps its place for %s", async (_, script, given, more) => {
  const world = worker(script, given as never);
  const { stop, sessionId } = await world.say("Go", more);
  expect(stop.type).toBe("end_turn");
  expect(world.sleeps).toHaveLength(1);
  expect(await world.of(sessionId, "run_suspended")).toEqual([]);
  await world.pawl.drain();
});

it("B5 F26 the view says until when the run waits, in its process and without one", async () => {
  const leaving = worker([limited, done]);
  const run = leaving.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  await stored(leaving, sessionId, "run_suspended");
  const [error] = await leaving.of(sessionId, "error");
  const until60 = new Date(Date.parse(error?.at ?? "") + 60_000).toISOString();
  expect((await leaving.pawl.view(sessionId, user)).run).toMatchObject({ open: true, retryAt: until60 });
  await leaving.clock.advance(60_001);
  await run.result;
  expect((await leaving.pawl.view(sessionId, user)).run).not.toHaveProperty("retryAt");
  await leaving.pawl.drain();

  const control = Promise.withResolvers<void>();
  const sleep = async () => await control.promise;
  const staying = setup([limited, done], {}, {}, (model) => withRetry(model, { sleep }));
  const other = staying.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId: id } = await other.started;
  await stored(staying, id, "error");
  expect((await staying.pawl.view(id, user)).run?.retryAt).toMatch(/Z$/);
  control.resolve();
  await other.result;
  expect((await staying.pawl.view(id, user)).run).not.toHaveProperty("retryAt");
});

it("B5 the view shows no wait for a retry that comes at once, and none that a stop has ended", async () => {
  const quick = setup([{ fault: { status: 529 } }, done], {}, {}, (model) =>
    withRetry(model, { baseMs: 20, jitter: 0 }),
  );
  const shown: unknown[] = [];
  const run = quick.pawl.run("tester", { ...user, input: "Go" });
  const { sessionId } = await run.started;
  run.on("error", () => void quick.pawl.view(sessionId, user).then(({ run }) => shown.push(run?.retryAt)));
  await run.result;
  await until(() => shown.length > 0);
  expect(shown).toEqual([undefined]);

  const long = setup([limited, done], {}, {}, (model) => withRetry(model));
  const waiting = long.pawl.run("tester", { ...user, input: "Go" });
  const start = await waiting.started;
  await stored(long, start.sessionId, "error");
  await long.pawl.stop(start.sessionId, user);
  await waiting.result;
  expect((await long.pawl.view(start.sessionId, user)).run).not.toHaveProperty("retryAt");
});
