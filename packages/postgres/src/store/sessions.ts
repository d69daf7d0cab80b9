import { type EventStore, PawlError, type Session } from "@pawl/core";
import { checkNames, isName, jsonbText, type RecoverableOptions } from "@pawl/core/store";
import { LEASE_IS_OVER, WAKE_IS_DUE } from "../database/lease-is-over.ts";
import { ask, type Database } from "../database/queryable.ts";
import { sessionColumns, toSession } from "./rows.ts";

/** Implements {@link EventStore.sessions}. */
export function sessions(db: Database): EventStore["sessions"] {
  return {
    async create({ id, userId, agent, metadata = {} }) {
      checkNames(id, userId, agent);
      const [row] = await ask(
        db,
        `INSERT INTO agent_sessions AS s (id, user_id, agent, metadata, created_at, updated_at)
         SELECT $1::text, $2::text, $3::text, $4::text::jsonb, now, now FROM clock_timestamp() AS now
         ON CONFLICT (id) DO NOTHING RETURNING ${sessionColumns}`,
        [id, userId, agent, jsonbText(metadata)],
      );
      if (row === undefined) throw new PawlError("conflict", `There is a session "${id}" already.`);
      return toSession(row);
    },

    async get(id) {
      if (!isName(id)) return undefined;
      const [row] = await ask(db, `SELECT ${sessionColumns} FROM agent_sessions s WHERE s.id = $1::text`, [
        id,
      ]);
      return row === undefined ? undefined : toSession(row);
    },

    async list({ userId, agent, status, limit = 50 }) {
      if (!isName(userId) || (agent !== undefined && !isName(agent))) return [];
      const rows = await ask(
        db,
        `SELECT ${sessionColumns} FROM agent_sessions s
         WHERE s.user_id = $1::text AND ($2::text IS NULL OR s.agent = $2::text)
           AND ($3::text IS NULL OR s.status IN (SELECT json_array_elements_text($3::text::json)))
         ORDER BY s.created_at DESC, s.id LIMIT $4::int`,
        [
          userId,
          agent ?? null,
          status === undefined ? null : JSON.stringify(status.filter(isName)),
          int(limit),
        ],
      );
      return rows.map(toSession);
    },
  };
}

/** Implements {@link EventStore.listRecoverable}. */
export async function listRecoverable(
  db: Database,
  { limit, agents, after }: RecoverableOptions,
): Promise<Session[]> {
  const rows = await ask(
    db,
    `SELECT ${sessionColumns} FROM agent_sessions s
     WHERE s.open_run IS NOT NULL AND CASE WHEN s.wake_at IS NULL
         THEN s.status <> 'suspended' OR s.pending <= 0 ELSE ${WAKE_IS_DUE} END
       AND ($2::text IS NULL OR s.agent IN (SELECT json_array_elements_text($2::text::json)))
       AND ${LEASE_IS_OVER}
       ${after === undefined ? "ORDER BY s.updated_at, s.id" : "AND s.id > $3::text ORDER BY s.id"} LIMIT $1::int`,
    [
      int(limit),
      agents === undefined ? null : JSON.stringify(agents.filter(isName)),
      ...(after === undefined ? [] : [after]),
    ],
  );
  return rows.map(toSession);
}

/** Returns a limit that fits into a Postgres `integer`. The largest integer stands for no limit. */
function int(limit: number): number {
  return Math.min(limit, 2_147_483_647);
}
