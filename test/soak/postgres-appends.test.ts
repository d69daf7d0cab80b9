import { type Database, migrate, postgresStore } from "@pawl/postgres";
import { afterEach, describe, expect, it } from "vitest";
import { appending, assertAllThere } from "../support/appending.ts";
import { type TestDatabase, testDatabase } from "../support/postgres.ts";
import { soak } from "../support/soak.ts";

const SECONDS = soak(2, 60);
const WORKERS = 32;

let database: TestDatabase;
afterEach(() => database.drop());

async function run(driver: string, sessions: number): Promise<void> {
  database = await testDatabase();
  const pool = database.pool({ max: WORKERS });
  const db: Database = driver === "pg" ? pool : database.sql({ max: WORKERS });
  await migrate(db);
  await pool.query(
    "INSERT INTO agent_sessions (id, user_id, agent) SELECT 's' || n, 'u', 'a' FROM generate_series(1, $1) n",
    [sessions],
  );
  const until = performance.now() + SECONDS * 1_000;
  let appends = 0;
  const acknowledged = await appending(postgresStore(db), WORKERS, {
    where: (worker, turn) => {
      appends += 1;
      return `s${1 + ((worker * 31 + turn) % sessions)}`;
    },
    over: () => performance.now() > until,
  });
  expect(acknowledged.length).toBeGreaterThan(WORKERS);
  await assertAllThere(pool, acknowledged);
  const rate = Math.round(acknowledged.length / SECONDS);
  soak.report(
    `${WORKERS} appenders by ${driver} on ${sessions} sessions for ${SECONDS} s: ${acknowledged.length} events in ${appends} appends (${rate}/s); 0 lost, 0 twice, 0 gaps, 0 refused`,
  );
}

/** In `npm test` each case runs with one driver. */
const cases = [
  { driver: "pg", sessions: 1 },
  { driver: "postgres", sessions: 1_000 },
  ...(soak(0, 1) === 0
    ? []
    : [
        { driver: "postgres", sessions: 1 },
        { driver: "pg", sessions: 1_000 },
      ]),
];

describe("concurrent appends on a server", () => {
  it.each(cases)(
    `E2 ${WORKERS} appenders by $driver on $sessions sessions lose, repeat and skip nothing, and none is refused`,
    async ({ driver, sessions }) => await run(driver, sessions),
    SECONDS * 1_000 + 90_000,
  );
});
