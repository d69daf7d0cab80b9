import type { Reservation, Reservations } from "@pawl/core/store";
import { checkNames, checkRequest, checkUse, notReservable, RESERVATION_TTL_MS } from "@pawl/core/store";
import { checkDatabase } from "../database/check-database.ts";
import { ask, type Database, type Row } from "../database/queryable.ts";
import { ownTables } from "../database/schema-version.ts";

/**
 * Keeps reservations of shared budgets in the table `agent_reservations`. Each call is one statement. Times
 * are by the database's clock.
 *
 * @example
 * ```ts
 * import { migrate, postgresReservations } from "@pawl/postgres";
 * import { Pool } from "pg";
 *
 * const db = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(db);
 * const reservations = postgresReservations(db);
 * const budget = { account: "user-1/2026-11", limit: 1_000 };
 * console.log(await reservations.reserve({ ...budget, id: "a", amount: 800 }));
 * console.log((await reservations.finalize("a", 150))?.used); // 150
 * console.log(await reservations.balance("user-1/2026-11")); // { used: 150, held: 0 }
 * await db.end();
 * ```
 */
// { granted: true, available: 200 }
export function postgresReservations(database: Database): Reservations {
  checkDatabase("postgresReservations()", database);
  const db = ownTables(database);
  const charge = async (id: string, used: number, then: string, ttlMs: number | null = null) => {
    const [row] = await ask(db, chargeOne, [id, used, then, ttlMs]);
    return row === undefined ? undefined : toReservation(row);
  };
  return {
    async reserve(request) {
      const { account, id, amount, limit, ttlMs } = checkRequest(request);
      const [row] = await ask(db, reserveOne, [account, id, amount, limit, ttlMs]);
      const outcome = row?.outcome;
      if (outcome === "finalized" || outcome === "foreign") throw notReservable(outcome);
      return { granted: outcome === "granted", available: Number(row?.available) };
    },
    async renew(id, used, ttlMs = RESERVATION_TTL_MS) {
      checkUse(id, used, ttlMs);
      return await charge(id, used, "renew", ttlMs);
    },
    async abort(id, used) {
      checkUse(id, used);
      return await charge(id, used, "abort");
    },
    async finalize(id, used) {
      checkUse(id, used);
      return await charge(id, used, "finalize");
    },
    async expire() {
      const [row] = await ask(db, "SELECT pawl_expire_reservations() AS expired");
      return Number(row?.expired);
    },
    async balance(account) {
      checkNames(account);
      const [row] = await ask(db, balanceOf, [account]);
      return { used: Number(row?.used ?? 0), held: Number(row?.held ?? 0) };
    },
  };
}

const reserveOne = `
SELECT outcome, available
FROM pawl_reserve($1::text, $2::text, $3::bigint, $4::bigint, $5::integer)`;

const chargeOne = `
SELECT account, id, amount, used, finalized,
  to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS expires_at
FROM pawl_charge_reservation($1::text, $2::bigint, $3::text, $4::integer)`;

/** Reads an account's balance. An expired reservation holds nothing, even before its expiry is recorded. */
const balanceOf = `
SELECT used, held - (
  SELECT coalesce(sum(r.held), 0) FROM agent_reservations r
  WHERE r.account = $1::text AND r.expires_at <= clock_timestamp()) AS held
FROM agent_reservations WHERE account = $1::text AND id = ''`;

function toReservation(row: Row): Reservation {
  const base = {
    account: String(row.account),
    id: String(row.id),
    amount: Number(row.amount),
    used: Number(row.used),
  };
  if (row.finalized === true) return { ...base, state: "finalized" };
  if (row.expires_at === null) return { ...base, state: "released" };
  return { ...base, state: "held", expiresAt: String(row.expires_at) };
}
