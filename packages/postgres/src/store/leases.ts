import { type AcquiredLease, checkNames, isName, type Lease, noSession } from "@pawl/core/store";
import { LEASE_IS_OVER } from "../database/lease-is-over.ts";
import { ask, type Database } from "../database/queryable.ts";
import { iso } from "./rows.ts";

/**
 * Returns SQL that has a lease begin now, by the database's clock. `parameter` is the placeholder for its
 * length in milliseconds, e.g. `$3`.
 */
function leaseUntil(parameter: string): string {
  return `lease_since = clock_timestamp(),
       lease_expires_at = clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
}

/** Implements {@link EventStore.acquire}. */
export async function acquire(
  db: Database,
  sessionId: string,
  holder: string,
  ttlMs: number,
): Promise<AcquiredLease | undefined> {
  checkNames(holder);
  if (!isName(sessionId)) throw noSession(sessionId);
  const [row] = await ask(
    db,
    `UPDATE agent_sessions
     SET lease_holder = $2::text, lease_epoch = lease_epoch + 1, ${leaseUntil("$3")}
     WHERE id = $1::text
       AND (lease_holder = $2::text OR ${LEASE_IS_OVER})
     RETURNING lease_epoch, ${iso("clock_timestamp()")} AS acquired`,
    [sessionId, holder, ttlMs],
  );
  if (row !== undefined) {
    return { sessionId, holder, epoch: Number(row.lease_epoch), acquiredAt: String(row.acquired) };
  }
  const known = await ask(db, "SELECT 1 FROM agent_sessions WHERE id = $1::text", [sessionId]);
  if (known.length === 0) throw noSession(sessionId);
  return undefined;
}

/** Implements {@link EventStore.renew}. */
export async function renew(db: Database, lease: Lease, ttlMs: number): Promise<boolean> {
  if (!isName(lease.sessionId) || !isName(lease.holder)) return false;
  const rows = await ask(
    db,
    `UPDATE agent_sessions SET ${leaseUntil("$4")}
     WHERE id = $1::text AND lease_holder = $2::text AND lease_epoch = $3::int RETURNING 1`,
    [lease.sessionId, lease.holder, lease.epoch, ttlMs],
  );
  return rows.length > 0;
}

/** Implements {@link EventStore.release}. */
export async function release(db: Database, lease: Lease): Promise<void> {
  if (!isName(lease.sessionId) || !isName(lease.holder)) return;
  await ask(
    db,
    `UPDATE agent_sessions SET lease_holder = NULL, lease_expires_at = NULL
     WHERE id = $1::text AND lease_holder = $2::text AND lease_epoch = $3::int`,
    [lease.sessionId, lease.holder, lease.epoch],
  );
}

/**
 * Revokes all leases, so that their runs can be recovered at once. Call it only if no other process uses the
 * database: runs in such a process could no longer write.
 */
export async function clearLeases(db: Database): Promise<void> {
  await ask(
    db,
    `UPDATE agent_sessions SET lease_holder = NULL, lease_expires_at = NULL, lease_epoch = lease_epoch + 1
     WHERE lease_holder IS NOT NULL`,
  );
}
