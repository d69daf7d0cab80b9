import { durableObject, sqliteStore } from "@pawl/sqlite";
import { expect, it } from "vitest";
import { wakingStore } from "../../src/alarms/waking-store.ts";
import { objectContext } from "../support/object-context.ts";

const LEASE_MS = 10_000;
const note = { type: "note", data: { text: "a" } } as const;
const asked = { userId: "u", agent: "a", create: {}, holder: "leg", ttlMs: LEASE_MS };

function waking(context = objectContext()) {
  const log = sqliteStore(durableObject(context.storage));
  const { store, rung } = wakingStore(log, context.storage, { agents: () => ["a"], leaseTtlMs: LEASE_MS });
  const append = (id: string, session: object, more: object = {}) =>
    store.append(id, [note], { appendId: crypto.randomUUID(), session, ...more });
  return { context, store, rung, append };
}

/** A time so many milliseconds from now, as the row has it. */
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** How far ahead the alarm was set each time, in seconds. */
const secondsOf = (alarms: readonly number[]) =>
  alarms.map((at) => Math.round((at - Date.now()) / 1_000) + 0);

it("E2 a lease of an open run sets the alarm to its end", async () => {
  const { context, store, append } = waking();
  await store.open?.({ id: "s", ...asked });
  expect(context.alarms).toEqual([]);
  await append("s", { openRun: "run" });
  expect(secondsOf(context.alarms)).toEqual([10]);

  const other = waking();
  await other.store.sessions.create({ id: "s", userId: "u", agent: "a" });
  await other.append("s", { openRun: "run" });
  other.context.alarms.length = 0;
  await other.rung(async () => void (await other.store.acquire("s", "leg", LEASE_MS)));
  expect(secondsOf(other.context.alarms)).toEqual([10]);
});

it("F26 a run that begins to wait sets the alarm to its time, earlier or later than the lease", async () => {
  const { context, store, append } = waking();
  for (const [id, seconds] of [
    ["late", 3_600],
    ["soon", 3],
  ] as const) {
    await store.sessions.create({ id, userId: "u", agent: "a" });
    const wakeAt = inMs(seconds * 1_000);
    await append(id, { openRun: "run", status: "active", wakeAt }, { release: true });
    expect(context.alarms.at(-1)).toBe(Date.parse(wakeAt));
  }
  await append("soon", { openRun: null, status: "active" });
  context.alarms.length = 0;
  const { rung } = waking(context);
  await rung(async () => undefined);
  expect(secondsOf(context.alarms)).toEqual([3_600]);
});

it("F26 an object that was restarted keeps an alarm that rings before the one of a new run", async () => {
  const before = waking();
  await before.store.sessions.create({ id: "waits", userId: "u", agent: "a" });
  const wakeAt = inMs(3_000);
  await before.append("waits", { openRun: "run", wakeAt }, { release: true });
  const { context, store, append } = waking(before.context);
  await store.open?.({ id: "s", ...asked });
  await append("s", { openRun: "run" });
  expect(context.alarms.at(-1)).toBe(Date.parse(wakeAt));
});

it("E2 a run that is left or answered without a leg is resumed at once", async () => {
  for (const leave of [{ release: true }, { session: { wakes: true } }]) {
    const { context, store } = waking();
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    const log = sqliteStore(durableObject(context.storage));
    const suspended = { openRun: "run", status: "suspended", addPending: 0 } as const;
    await log.append("s", [note], { appendId: "1", session: suspended });
    await store.append("s", [note], { appendId: "2", ...leave });
    expect(secondsOf(context.alarms)).toEqual([0]);
  }
});

it("E2 releasing a lease in the middle of a run has it resumed at once", async () => {
  const { context, store, append, rung } = waking();
  const opened = await store.open?.({ id: "s", ...asked });
  await append("s", { openRun: "run" });
  if (opened?.lease !== undefined) await store.release(opened.lease);
  expect(secondsOf(context.alarms)).toEqual([10, 0]);
  await rung(async () => undefined);
});

it("no alarm is set for a run that waits for the user only, has ended, or is of another agent", async () => {
  const { context, store, append, rung } = waking();
  for (const [id, agent, session] of [
    ["user", "a", { openRun: "run", status: "suspended", addPending: 1 }],
    ["over", "a", { openRun: null, status: "completed" }],
    ["other", "b", { openRun: "run" }],
  ] as const) {
    await store.sessions.create({ id, userId: "u", agent });
    await append(id, session, { release: true });
  }
  await rung(async () => undefined);
  expect(context.alarms).toEqual([]);
});

it("appends within the time of an alarm do not set it again", async () => {
  const { context, store, append } = waking();
  await store.open?.({ id: "s", ...asked });
  for (let n = 0; n < 5; n += 1) {
    await append("s", { openRun: "run" });
    await store.open?.({ id: "s", ...asked });
  }
  expect(context.alarms).toHaveLength(1);
});

it("E2 a run that cannot be resumed is tried again after growing pauses of at most ten minutes", async () => {
  const { context, store, append, rung } = waking();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  await append("s", { openRun: "run" });
  context.alarms.length = 0;
  for (let n = 0; n < 9; n += 1) await rung(async () => undefined);
  expect(secondsOf(context.alarms)).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
  await append("s", { openRun: "run", wakeAt: inMs(5_000) });
  await rung(async () => undefined);
  await append("s", { openRun: "run", wakeAt: null });
  context.alarms.length = 0;
  await rung(async () => undefined);
  expect(secondsOf(context.alarms)).toEqual([10]);
});

it("F26 E2 a run that cannot be resumed delays neither the time of another one nor its recovery", async () => {
  const { context, store, append, rung } = waking();
  await store.sessions.create({ id: "stuck", userId: "u", agent: "a" });
  await append("stuck", { openRun: "run" });
  for (let n = 0; n < 9; n += 1) await rung(async () => undefined);
  expect(secondsOf(context.alarms).at(-1)).toBe(600);
  await store.sessions.create({ id: "waits", userId: "u", agent: "a" });
  await append("waits", { openRun: "run", wakeAt: inMs(3_000) }, { release: true });
  await rung(async () => undefined);
  expect(secondsOf(context.alarms).at(-1)).toBe(3);
  await append("waits", { openRun: null, status: "active" });
  await store.open?.({ id: "working", ...asked });
  await append("working", { openRun: "run" });
  await rung(async () => undefined);
  expect(secondsOf(context.alarms).at(-1)).toBe(10);
});

it("E2 a lease brings the alarm of a run forward that could not be resumed for long", async () => {
  for (const method of ["open", "acquire"] as const) {
    const { context, store, append, rung } = waking();
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    await append("s", { openRun: "run" });
    for (let n = 0; n < 9; n += 1) await rung(async () => undefined);
    expect(secondsOf(context.alarms).at(-1)).toBe(600);
    if (method === "open") await store.open?.({ id: "s", ...asked });
    else await store.acquire("s", "leg", LEASE_MS);
    expect(secondsOf(context.alarms).at(-1)).toBe(10);
  }
});

it("F26 a time for which a run waits sets the alarm, also without anything else", async () => {
  const { context, store, append, rung } = waking();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  await append("s", { openRun: "run" });
  await rung(async () => undefined);
  await append("s", { wakeAt: inMs(3_000) });
  expect(secondsOf(context.alarms)).toEqual([0, 10, 3]);
});

it("E2 a sweep that fails sets the next alarm all the same, and reports its error", async () => {
  const { context, store, append, rung } = waking();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  await append("s", { openRun: "run" });
  context.alarms.length = 0;
  await expect(rung(() => Promise.reject(new Error("disk")))).rejects.toThrow("disk");
  expect(secondsOf(context.alarms)).toEqual([10]);
});

it("E2 an alarm that cannot be set is store_unavailable, and is set by the next attempt", async () => {
  const { context, store, append } = waking();
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  context.failures = 1;
  const failed = store.append("s", [note], { appendId: "1", session: { openRun: "run" } });
  await expect(failed).rejects.toMatchObject({ code: "store_unavailable", cause: new Error("no alarm") });
  expect(context.alarms).toEqual([]);
  const again = await store.append("s", [note], { appendId: "1", session: { openRun: "run" } });
  expect([again.length, context.alarms.length]).toEqual([1, 1]);
  await append("s", {});
});
