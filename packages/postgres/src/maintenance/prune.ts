import { checkOptions, type OptionKinds, PawlError, type SessionStatus } from "@pawl/core";
import { checkDatabase } from "../database/check-database.ts";
import { LEASE_IS_OVER } from "../database/lease-is-over.ts";
import { ask, type Database } from "../database/queryable.ts";

/** Options of `prune()`. */
export interface PruneOptions {
  /** Deletes sessions whose last append was before this date. */
  olderThan: Date;
  /**
   * Deletes only sessions with one of these statuses. Default: all but `suspended`, because suspended
   * sessions wait for their user.
   */
  status?: readonly SessionStatus[];
  /** Deletes only sessions of this user. Default: all users. */
  userId?: string;
  /**
   * Whether to delete old reservations too, of all accounts: those that were made before `olderThan` and hold
   * nothing, because they are finalized, aborted or expired. Their use stays charged. Choose a date before
   * the start of every run that still waits for its user. Otherwise, the use of such a run is charged twice.
   * Default: `false`.
   */
  reservations?: boolean;
  /**
   * Called with the sessions of each batch once they are deleted, e.g. to delete their files. If it rejects,
   * `prune()` does too, and deletes no further batch. Default: nothing is called.
   */
  onDeleted?(sessions: readonly { id: string; userId: string }[]): void | Promise<void>;
  /**
   * The maximum number of sessions or reservations that one statement deletes. A larger batch holds its locks
   * for longer. Default: 100.
   */
  batch?: number;
}

const OPTIONS: OptionKinds<PruneOptions> = {
  olderThan: { mustBe: "a Date", is: (value) => value instanceof Date, required: true },
  status: "list",
  userId: "string",
  reservations: "boolean",
  onDeleted: "function",
  batch: {
    mustBe: "a whole number from 1",
    is: (value) => Number.isInteger(value) && (value as number) >= 1,
  },
};

/** The numbers of deleted sessions, events and reservations. */
export interface Pruned {
  /** Sessions that were deleted. */
  sessions: number;
  /** Events that were deleted. */
  events: number;
  /** Reservations that were deleted. */
  reservations: number;
}

/**
 * Deletes old sessions with their events and blobs, in batches, oldest change first. Keeps sessions with a
 * run in progress or a held lease, and sub-agents' sessions until their caller's session is deleted. May run
 * at any time, also next to appends and another `prune()`.
 *
 * @throws PawlError `invalid_input` for an invalid date. `store_unavailable` if the database fails.
 *
 * @example
 * ```ts
 * import { migrate, prune } from "@pawl/postgres";
 * import { Pool } from "pg";
 *
 * const db = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(db);
 * const days = 24 * 60 * 60 * 1_000;
 * console.log(await prune(db, { olderThan: new Date(Date.now() - 90 * days) }));
 * await db.end();
 * ```
 */
// { sessions: 0, events: 0, reservations: 0 }
export async function prune(db: Database, options: PruneOptions): Promise<Pruned> {
  checkDatabase("prune()", db);
  checkOptions("prune()", options, OPTIONS, { instead: { days: "Use `olderThan`, a Date." } });
  const { olderThan, status = ["active", "completed", "error", "expired"], userId, batch = 100 } = options;
  if (Number.isNaN(olderThan.getTime()))
    throw new PawlError("invalid_input", "`olderThan` must be a valid Date; got an invalid one.");
  const pruned: Pruned = { sessions: 0, events: 0, reservations: 0 };
  if (options.reservations === true) pruned.reservations = await pruneReservations(db, olderThan, batch);
  for (;;) {
    const [row] = await ask(db, deleteBatch, [
      olderThan.toISOString(),
      JSON.stringify(status),
      userId ?? null,
      batch,
    ]);
    const sessions = Number(row?.sessions ?? 0);
    pruned.sessions += sessions;
    pruned.events += Number(row?.events ?? 0);
    if (sessions === 0) return pruned;
    await options.onDeleted?.(JSON.parse(String(row?.deleted)));
  }
}

async function pruneReservations(db: Database, olderThan: Date, batch: number): Promise<number> {
  // An expired reservation counts as held until its expiry is recorded.
  await ask(db, "SELECT pawl_expire_reservations()");
  for (let all = 0; ; ) {
    const [row] = await ask(db, deleteReservations, [olderThan.toISOString(), batch]);
    const gone = Number(row?.reservations ?? 0);
    if (gone === 0) return all;
    all += gone;
  }
}

/** Deletes a batch of reservations. The row with an empty id has the account's totals and stays. */
const deleteReservations = `
WITH old AS (
  SELECT r.account, r.id FROM agent_reservations r
  WHERE r.id <> '' AND r.expires_at IS NULL AND r.created_at < $1::text::timestamptz
  LIMIT $2::integer FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM agent_reservations r USING old WHERE r.account = old.account AND r.id = old.id RETURNING 1
)
SELECT count(*) AS reservations FROM gone`;

/**
 * Deletes a batch of sessions. A suspended session has an open run that no process is running. A session that
 * is being copied has a negative epoch.
 */
const deleteBatch = `
WITH old AS (
  SELECT s.id FROM agent_sessions s
  WHERE s.updated_at < $1::text::timestamptz
    AND s.status IN (SELECT json_array_elements_text($2::text::json))
    AND ($3::text IS NULL OR s.user_id = $3::text)
    AND s.lease_epoch >= 0
    AND (s.open_run IS NULL OR s.status = 'suspended')
    AND ${LEASE_IS_OVER}
    AND NOT EXISTS (SELECT FROM agent_sessions p WHERE p.id = s.metadata -> 'parent' ->> 'session_id')
  ORDER BY s.updated_at LIMIT $4::integer FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM agent_sessions s USING old WHERE s.id = old.id RETURNING s.id, s.user_id, s.last_sequence
)
SELECT count(*) AS sessions, coalesce(sum(last_sequence), 0) AS events,
  coalesce(json_agg(json_build_object('id', id, 'userId', user_id)), '[]')::text AS deleted
FROM gone`;
