import { expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type Clock, type EventStore, memoryStore, runtime, systemClock } from "../../src/index.ts";
import { abandoned, ids } from "../support/abandoned.ts";
import { countedTurns } from "../support/counted-turns.ts";
import { setup, until } from "../support/setup.ts";
import { clean } from "../support/waits.ts";

const RUNS = 400;
const WAIT_MS = 20 * 60_000;

/**
 * How many runs a sweep, the timers or the engine begin between two turns of the event loop that the test
 * counts: one, and one more that comes after the turn has begun.
 */
const MOST_IN_A_TURN = 2;

/** Counts the sessions that are opened over a store that answers at once. */
function countingOpens(inner: EventStore) {
  const turns = countedTurns();
  const opened: string[] = [];
  const open: EventStore["open"] = async (wanted) => {
    turns.count();
    opened.push(wanted.id);
    return await inner.open?.(wanted);
  };
  return { store: { ...inner, open }, turns, opened };
}

it("B8 a sweep gives way to other work while it begins many runs", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("due", RUNS));
  const { store, turns, opened } = countingOpens(inner);
  const { pawl } = setup([], {}, { store, onError: () => undefined });
  expect(await pawl.sweep()).toBe(RUNS);
  expect(opened).toHaveLength(RUNS);
  expect(turns.most()).toBeLessThanOrEqual(MOST_IN_A_TURN);
  await pawl.drain();
});

it("B8 a sweep gives way also for agents whose tools come from a function", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("due", RUNS));
  const { store, turns } = countingOpens(inner);
  const { pawl } = setup([], { tools: () => [] }, { store, onError: () => undefined });
  expect(await pawl.sweep()).toBe(RUNS);
  expect(turns.most()).toBeLessThanOrEqual(MOST_IN_A_TURN);
  await pawl.drain();
});

it("B8 a sweep gives way while it lists runs for which there is no place", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("due", 1_000));
  const turns = countedTurns();
  const listRecoverable: EventStore["listRecoverable"] = async (options) => {
    turns.count();
    return await inner.listRecoverable(options);
  };
  const stays = setup({ rules: () => new Promise(() => undefined) }).agent;
  const store = { ...inner, listRecoverable };
  const pawl = runtime({ agents: [stays], store, concurrency: 1, onError: () => undefined });
  await pawl.sweep();
  expect(turns.most()).toBeLessThanOrEqual(3);
  await pawl.drain({ timeoutMs: 0 });
});

it("B8 Q1 the runs that wait for places give way to other work when places become free", async () => {
  const inner = memoryStore();
  await abandoned(inner, ids("due", RUNS));
  const { store, turns, opened } = countingOpens(inner);
  const { pawl } = setup([], {}, { store, concurrency: 50, onError: () => undefined });
  pawl.start();
  await until(() => opened.length === RUNS);
  // A sweep and the engine may both begin runs in one turn.
  expect(turns.most()).toBeLessThanOrEqual(2 * MOST_IN_A_TURN);
  await pawl.drain();
});

it("B8 F26 runs that wait for the same moment give way to other work when it comes", async () => {
  let now = Date.now();
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => now,
    after: (ms, then, options) => {
      if (ms < WAIT_MS) return systemClock.after(ms, then, options);
      timers.add(then);
      return () => timers.delete(then);
    },
  };
  const { store, turns, opened } = countingOpens(memoryStore({ now: () => now }));
  const waits = clean(({ answered, wait }) => answered ?? wait({ afterMs: WAIT_MS }));
  const rules = ({ messages }: { messages: readonly unknown[] }) =>
    messages.length > 1 ? { text: "Done." } : { tools: [{ name: "clean" }] };
  const { pawl } = setup({ rules }, { tools: [waits] }, { store, testing: { clock } });
  const runs = Array.from({ length: RUNS }, () => pawl.run("tester", { userId: "u1", input: "Go" }));
  await Promise.all(runs.map(({ started }) => started));
  await until(() => timers.size === RUNS);
  await settled();
  turns.reset();
  opened.length = 0;
  now += WAIT_MS + 1;
  // Node calls all timers that are due in one go.
  for (const fire of [...timers]) fire();
  for (const { stop } of await Promise.all(runs.map(({ result }) => result)))
    expect(stop.type).toBe("end_turn");
  expect(opened).toHaveLength(RUNS);
  expect(turns.most()).toBeLessThanOrEqual(MOST_IN_A_TURN);
});
