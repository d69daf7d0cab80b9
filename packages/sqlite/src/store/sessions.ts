import { type EventStore, PawlError, type Session } from "@pawl/core";
import { checkNames, isName, jsonbText, type NewSession, type RecoverableOptions } from "@pawl/core/store";
import type { Row, SqliteDatabase } from "../database/sqlite-database.ts";
import type { CommittingDatabase } from "./group-commit.ts";
import { isoOf, LEASE_IS_OVER, NOW, rowOf, timeOf, toSession, WAKE_IS_DUE } from "./rows.ts";

/** Implements {@link EventStore.sessions}. */
export function sessions(db: CommittingDatabase): EventStore["sessions"] {
  return {
    async create(session) {
      const { id, userId, agent } = session;
      checkNames(id, userId, agent);
      const metadata = jsonbText(session.metadata ?? {});
      const row = await db.commit(() => insertSession(db, session, metadata));
      if (row === undefined) throw new PawlError("conflict", `There is a session "${id}" already.`);
      return toSession(row);
    },

    async get(id) {
      const row = isName(id) ? rowOf(db, id) : undefined;
      return row && toSession(row);
    },

    async list({ userId, agent, status, limit = 50 }) {
      if (!isName(userId) || (agent !== undefined && !isName(agent))) return [];
      const rows = db.run(
        `SELECT * FROM agent_sessions WHERE user_id = ? AND (? IS NULL OR agent = ?)
           AND (? IS NULL OR status IN (SELECT value FROM json_each(?)))
         ORDER BY created_at DESC, rowid DESC LIMIT ?`,
        [userId, ...twice(agent), ...twice(status && JSON.stringify(status)), most(limit)],
      );
      return rows.map(toSession);
    },
  };
}

/** Stores a new session with its metadata as JSON, and returns its row; `undefined` if its id is taken. */
export function insertSession(
  db: SqliteDatabase,
  { id, userId, agent }: NewSession,
  metadata: string,
): Row | undefined {
  const [row] = db.run(
    `INSERT INTO agent_sessions (id, user_id, agent, metadata, created_at, updated_at)
     SELECT ?, ?, ?, ?, now, now FROM (SELECT ${NOW} AS now) WHERE true
     ON CONFLICT (id) DO NOTHING RETURNING *`,
    [id, userId, agent, metadata],
  );
  return row;
}

/** Implements {@link EventStore.listRecoverable}. */
export async function listRecoverable(
  db: SqliteDatabase,
  { limit, agents, after }: RecoverableOptions,
): Promise<Session[]> {
  // Without `INDEXED BY`, a page may look at every session after the id: at those without a run, too.
  const rows = db.run(
    `SELECT * FROM agent_sessions ${after === undefined ? "" : "INDEXED BY agent_sessions_recoverable"}
     WHERE open_run IS NOT NULL AND CASE WHEN wake_at IS NULL
         THEN status <> 'suspended' OR pending <= 0 ELSE ${WAKE_IS_DUE} END
       AND (? IS NULL OR agent IN (SELECT value FROM json_each(?)))
       AND ${LEASE_IS_OVER}
       ${after === undefined ? "ORDER BY updated_at, rowid" : "AND id > ? ORDER BY id"} LIMIT ?`,
    [
      ...twice(agents && JSON.stringify(agents.filter(isName))),
      ...(after === undefined ? [] : [after]),
      most(limit),
    ],
  );
  return rows.map(toSession);
}

/** Implements {@link SqliteStore.nextDue}. */
export async function nextDue(
  db: SqliteDatabase,
  { agents, after }: { agents: readonly string[]; after?: string },
): Promise<string | undefined> {
  const [row] = db.run(
    `SELECT min(due) AS due FROM (
       SELECT max(coalesce(wake_at, updated_at),
           CASE WHEN ${LEASE_IS_OVER} THEN updated_at ELSE lease_expires_at END) AS due
       FROM agent_sessions
       WHERE open_run IS NOT NULL AND (wake_at IS NOT NULL OR status <> 'suspended' OR pending <= 0)
         AND agent IN (SELECT value FROM json_each(?)))
     WHERE ? IS NULL OR due > ?`,
    [
      JSON.stringify(agents.filter(isName)),
      ...twice(after === undefined ? undefined : timeOf("after", after)),
    ],
  );
  return row?.due == null ? undefined : isoOf(Math.ceil(Number(row.due)));
}

/** Returns an optional value for two parameters. */
function twice<T extends string | number>(value: T | undefined): [T | null, T | null] {
  return [value ?? null, value ?? null];
}

/** Returns a limit that SQLite takes: a negative one would be no limit. */
function most(limit: number): number {
  return Math.max(0, Math.min(limit, Number.MAX_SAFE_INTEGER));
}
