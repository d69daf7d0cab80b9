import { type AcquiredLease, checkNames, isName, type Lease, noSession } from "@pawl/core/store";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import type { CommittingDatabase } from "./group-commit.ts";
import { isoOf, LEASE_IS_OVER, NOW, rowOf } from "./rows.ts";

/** Implements {@link EventStore.acquire}. */
export async function acquire(
  db: CommittingDatabase,
  sessionId: string,
  holder: string,
  ttlMs: number,
): Promise<AcquiredLease | undefined> {
  checkNames(holder);
  if (!isName(sessionId)) throw noSession(sessionId);
  return await db.commit(() => {
    if (rowOf(db, sessionId) === undefined) throw noSession(sessionId);
    return leaseTo(db, sessionId, holder, ttlMs);
  });
}

/** Gives the session's lease to a holder, unless another holder's is live. */
export function leaseTo(
  db: SqliteDatabase,
  sessionId: string,
  holder: string,
  ttlMs: number,
): AcquiredLease | undefined {
  const [row] = db.run(
    `UPDATE agent_sessions
     SET lease_holder = ?, lease_epoch = lease_epoch + 1, lease_since = ${NOW}, lease_expires_at = ${NOW} + ?
     WHERE id = ? AND (lease_holder = ? OR ${LEASE_IS_OVER})
     RETURNING lease_epoch, ${NOW} AS acquired`,
    [holder, ttlMs, sessionId, holder],
  );
  if (row === undefined) return undefined;
  const acquiredAt = isoOf(row.acquired);
  return { sessionId, holder, epoch: Number(row.lease_epoch), acquiredAt };
}

/** Implements {@link EventStore.renew}. */
export async function renew(db: CommittingDatabase, lease: Lease, ttlMs: number): Promise<boolean> {
  const { sessionId, holder, epoch } = lease;
  if (!isName(sessionId) || !isName(holder)) return false;
  const rows = await db.commit(() =>
    db.run(
      `UPDATE agent_sessions SET lease_since = ${NOW}, lease_expires_at = ${NOW} + ?
       WHERE id = ? AND lease_holder = ? AND lease_epoch = ? RETURNING 1`,
      [ttlMs, sessionId, holder, epoch],
    ),
  );
  return rows.length > 0;
}

/** Implements {@link EventStore.release}. */
export async function release(db: CommittingDatabase, { sessionId, holder, epoch }: Lease): Promise<void> {
  if (!isName(sessionId) || !isName(holder)) return;
  await db.commit(() =>
    db.run(
      `UPDATE agent_sessions SET lease_holder = NULL, lease_expires_at = NULL
       WHERE id = ? AND lease_holder = ? AND lease_epoch = ?`,
      [sessionId, holder, epoch],
    ),
  );
}
