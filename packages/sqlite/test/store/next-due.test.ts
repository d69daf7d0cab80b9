import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite, sqliteStore } from "../../src/index.ts";
import { withClock } from "../support/databases.ts";

const agents = ["a"];
const note = { type: "note", data: { text: "a" } } as const;

async function withRun() {
  const raw = nodeSqlite(":memory:");
  onTestFinished(() => raw.close());
  const { advance, ...db } = withClock(raw);
  const store = sqliteStore(db);
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const append = async (session: object) =>
    await store.append("s", [note], { appendId: crypto.randomUUID(), session });
  /** How far ahead the next run is due, in milliseconds, by the store's clock. */
  const dueIn = async () => {
    const due = await store.nextDue({ agents });
    const [row] = db.run("SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now", []);
    return due === undefined ? undefined : Date.parse(due) - Number(row?.now);
  };
  return { store, append, dueIn, advance };
}

it("F26 a run is due when its lease expires, and at once if it has none", async () => {
  const { store, append, dueIn, advance } = await withRun();
  expect(await dueIn()).toBeUndefined();
  await append({ openRun: "run" });
  expect(await dueIn()).toBeLessThanOrEqual(0);
  const lease = await store.acquire("s", "leg", 10_000);
  expect(await dueIn()).toBeGreaterThan(9_000);
  advance(20_000);
  expect(await dueIn()).toBeLessThan(-9_000);
  expect(await store.listRecoverable({ limit: 1 })).toHaveLength(1);
  if (lease !== undefined) await store.release(lease);
  await append({ openRun: null });
  expect(await dueIn()).toBeUndefined();
});

it("F26 a run that waits is due at its time, and never if it waits for the user only", async () => {
  const { store, append, dueIn } = await withRun();
  await append({ openRun: "run", status: "suspended", addPending: 1 });
  expect(await dueIn()).toBeUndefined();
  await append({ wakeAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await dueIn()).toBeGreaterThan(3_500_000);
  // The leg that suspends a run holds its lease for a moment longer.
  await store.acquire("s", "leg", 7_200_000);
  expect(await dueIn()).toBeGreaterThan(7_100_000);
});

it("F26 the earliest run counts, of the given agents only", async () => {
  const { store, append, dueIn } = await withRun();
  await append({ openRun: "run", wakeAt: "2999-01-01T00:00:00.000Z" });
  for (const [agent, wakeAt] of [
    ["a", "2998-01-01T00:00:00.000Z"],
    ["other", "2997-01-01T00:00:00.000Z"],
  ] as const) {
    await store.sessions.create({ id: agent, userId: "u", agent });
    await store.append(agent, [note], { appendId: "1", session: { openRun: "run", wakeAt } });
  }
  expect(await store.nextDue({ agents })).toBe("2998-01-01T00:00:00.000Z");
  expect(await store.nextDue({ agents: [] })).toBeUndefined();
  expect(await store.nextDue({ agents, after: "2998-01-01T00:00:00.000Z" })).toBe("2999-01-01T00:00:00.000Z");
  expect(await store.nextDue({ agents, after: "2999-01-01T00:00:00.000Z" })).toBeUndefined();
  await expect(store.nextDue({ agents, after: "soon" })).rejects.toMatchObject({
    code: "invalid_input",
    message: '`after` must be a time in ISO 8601, e.g. "2026-11-28T10:00:00Z"; got "soon".',
  });
  expect(await dueIn()).toBeGreaterThan(0);
});

it.each([undefined, ""])(
  "F26 a wait that was stored ahead of the clock is listed, and none that only a later change was, after %j",
  async (after) => {
    const { store, append, advance } = await withRun();
    const listed = async () =>
      (await store.listRecoverable({ limit: 1, ...(after !== undefined && { after }) })).length;
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    const day = 24 * 3_600_000;
    await append({ openRun: "run", status: "suspended", addPending: 1, wakeAt: inMs(900_000) });
    expect(await listed()).toBe(0);
    advance(day);
    await append({ addCostUsd: 1 });
    advance(-day);
    expect(await listed()).toBe(0);
    await append({ wakeAt: inMs(day + 900_000) });
    expect(await listed()).toBe(1);
    advance(day);
    expect(await listed()).toBe(0);
    advance(900_000);
    expect(await listed()).toBe(1);
  },
);
