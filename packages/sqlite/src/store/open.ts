import {
  checkNames,
  checkText,
  isName,
  jsonbText,
  type OpenedSession,
  type SessionToOpen,
  type Snapshot,
} from "@pawl/core/store";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import type { CommittingDatabase } from "./group-commit.ts";
import { leaseTo } from "./leases.ts";
import { joined, partsOf } from "./long-text.ts";
import { eventsAfter } from "./read.ts";
import { rowOf, toSession } from "./rows.ts";
import { insertSession } from "./sessions.ts";

/** The most events that are returned with an opened session. */
const MOST_EVENTS = 1_000;

/** Implements {@link EventStore.open}, in one transaction. */
export async function open(
  db: CommittingDatabase,
  wanted: SessionToOpen,
): Promise<OpenedSession | undefined> {
  const { id, userId, agent, create, holder } = wanted;
  checkNames(holder);
  if (create !== undefined) checkNames(id, userId, agent);
  if (!isName(id) || !isName(userId) || !isName(agent)) return undefined;
  const metadata = jsonbText(create?.metadata ?? {});
  return await db.commit(() => {
    if (create !== undefined) insertSession(db, { id, userId, agent }, metadata);
    return opened(db, wanted);
  });
}

function opened(
  db: SqliteDatabase,
  { id, userId, agent, holder, ttlMs, afterSeq = 0, snapshot: version }: SessionToOpen,
): OpenedSession | undefined {
  const row = rowOf(db, id);
  if (row?.user_id !== userId) return undefined;
  const session = toSession(row);
  const mayRun = session.agent === agent && session.status !== "expired";
  const lease = mayRun ? leaseTo(db, id, holder, ttlMs) : undefined;
  if (lease === undefined) return { session, lease, events: [] };
  const snapshot = version === undefined ? undefined : snapshotOf(db, id, version, afterSeq);
  const events = eventsAfter(db, id, { afterSeq: snapshot?.seq ?? afterSeq, limit: MOST_EVENTS });
  return { session, lease, events, ...(snapshot && { snapshot }) };
}

/** Returns the session's snapshot, if it has one of this version after `afterSeq`. */
function snapshotOf(
  db: SqliteDatabase,
  sessionId: string,
  version: string,
  afterSeq: number,
): OpenedSession["snapshot"] {
  const rows = db.run(
    `SELECT sequence_number, state FROM agent_session_snapshots
     WHERE session_id = ? AND version = ? AND sequence_number > ? ORDER BY part`,
    [sessionId, version, afterSeq],
  );
  const [first] = rows;
  return first && { seq: Number(first.sequence_number), state: joined(rows.map(({ state }) => state)) };
}

/** Implements {@link EventStore.saveSnapshot}, in one transaction. */
export async function saveSnapshot(
  db: CommittingDatabase,
  sessionId: string,
  { version, seq, state }: Snapshot,
): Promise<void> {
  if (!isName(sessionId)) return;
  checkNames(version);
  checkText(state);
  await db.commit(() => {
    if (rowOf(db, sessionId)?.last_sequence !== seq) return;
    db.run("DELETE FROM agent_session_snapshots WHERE session_id = ?", [sessionId]);
    for (const [part, text] of partsOf(state).entries())
      db.run(
        `INSERT INTO agent_session_snapshots (session_id, part, version, sequence_number, state)
         VALUES (?, ?, ?, ?, ?)`,
        [sessionId, part, version, seq, text],
      );
  });
}
