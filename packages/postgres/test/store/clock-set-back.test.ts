import type { PGlite } from "@electric-sql/pglite";
import type { EventStore } from "@pawl/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPglite } from "../../../../test/support/new-pglite.ts";
import { migrate, postgresStore } from "../../src/index.ts";

let db: PGlite;
let store: EventStore;
beforeAll(async () => {
  db = await newPglite();
  await migrate(db);
  store = postgresStore(db);
}, 60_000);
afterAll(() => db.close());

/** Creates a session with an open run. */
async function running(id: string): Promise<void> {
  await store.sessions.create({ id, userId: "u", agent: "a" });
  const note = { type: "note" as const, data: { text: "a" } };
  await store.append(id, [note], { appendId: "1", session: { openRun: "run" } });
}

/** Moves a lease as if it had been acquired while the server's clock was so many seconds ahead. */
async function acquiredAhead(id: string, seconds: number): Promise<void> {
  await db.query(
    `UPDATE agent_sessions SET lease_since = lease_since + $2 * interval '1 second',
       lease_expires_at = lease_expires_at + $2 * interval '1 second' WHERE id = $1`,
    [id, seconds],
  );
}

const wanted = (id: string) => ({ id, userId: "u", agent: "a", holder: "other", ttlMs: 60_000 });
const rpc = async (call: string) =>
  (await db.query<{ answer: object }>(`SELECT ${call} AS answer`)).rows[0]?.answer;

/** Whether another holder gets the session, by each function that gives leases or finds runs. */
const takers: Record<string, (id: string) => Promise<boolean>> = {
  acquire: async (id) => (await store.acquire(id, "other", 60_000)) !== undefined,
  open: async (id) => (await store.open?.(wanted(id)))?.lease !== undefined,
  listRecoverable: async (id) =>
    (await store.listRecoverable({ limit: 100 })).some((session) => session.id === id),
  "listRecoverable by pages": async (id) =>
    (await store.listRecoverable({ limit: 100, after: "" })).some((session) => session.id === id),
  pawl_rpc_acquire: async (id) =>
    JSON.stringify(await rpc(`pawl_rpc_acquire('${id}', 'other', 60000)`)).includes('"epoch":2'),
  pawl_rpc_recoverable: async (id) =>
    JSON.stringify(await rpc("pawl_rpc_recoverable(100, NULL)")).includes(`"${id}"`),
  pawl_rpc_recoverable_after: async (id) =>
    JSON.stringify(await rpc("pawl_rpc_recoverable_after(100, NULL, '')")).includes(`"${id}"`),
};

describe.each(Object.entries(takers))("E2 after the server's clock was set back, %s", (name, takes) => {
  it("E2 finds a lease of an hour ahead free, and one of half its length ahead live", async () => {
    const id = `dead ${name}`;
    await running(id);
    await store.acquire(id, "dead", 60_000);
    expect(await takes(id)).toBe(false);
    await acquiredAhead(id, 30);
    expect(await takes(id)).toBe(false);
    await acquiredAhead(id, 3_600);
    expect(await takes(id)).toBe(true);
  });

  it("E2 finds a lease live that its holder has renewed, or a process of an earlier version", async () => {
    const id = `renewed ${name}`;
    await running(id);
    const lease = await store.acquire(id, "healthy", 60_000);
    await acquiredAhead(id, 3_600);
    await db.query(
      "UPDATE agent_sessions SET lease_expires_at = clock_timestamp() + interval '1 minute' WHERE id = $1",
      [id],
    );
    expect(await takes(id)).toBe(false);
    if (lease !== undefined) expect(await store.renew(lease, 60_000)).toBe(true);
    expect(await takes(id)).toBe(false);
  });
});

it("E2 a lease that is renewed by PostgREST begins then", async () => {
  await running("by rpc");
  await store.acquire("by rpc", "leg", 60_000);
  await acquiredAhead("by rpc", 3_600);
  expect(await rpc("pawl_rpc_renew('by rpc', 'leg', 1, 60000)")).toEqual({ renewed: true });
  expect(await store.acquire("by rpc", "other", 60_000)).toBeUndefined();
});

describe.each(
  Object.entries(takers)
    .slice(2)
    .filter(([name]) => name !== "pawl_rpc_acquire"),
)("F26 after the server's clock was set back, %s", (name, takes) => {
  it("F26 lists a wait that was stored ahead of the clock, and none that only a later change was", async () => {
    const id = `waits ${name}`;
    await running(id);
    const times = async (updated: string, wakes: string) =>
      await db.query(
        `UPDATE agent_sessions SET updated_at = clock_timestamp() + $2::interval,
             wake_at = clock_timestamp() + $3::interval WHERE id = $1`,
        [id, updated, wakes],
      );
    for (const [updated, wakes, isListed] of [
      ["0", "15 minutes", false],
      ["1 year", "1 year 15 minutes", true],
      ["5 minutes", "20 minutes", true],
      ["1 year", "15 minutes", false],
      ["1 year", "-1 minutes", true],
    ] as const) {
      await times(updated, wakes);
      expect(await takes(id), `${updated}, ${wakes}`).toBe(isListed);
    }
  });
});
