import { type BlobStore, checkNames, checkText, isName, noSession } from "@pawl/core/store";
import { checkDatabase } from "../database/check-database.ts";
import { ask, type Database } from "../database/queryable.ts";
import { ownTables } from "../database/schema-version.ts";

/**
 * Keeps large payloads in the table `agent_session_blobs`, in the same database as their sessions. Deleting a
 * session's row deletes its events and blobs too. `put` rejects with `not_found` if there is no such session,
 * and with `invalid_input` for a text with a NUL or half a surrogate pair.
 *
 * @example
 * ```ts
 * import { runtime } from "@pawl/core";
 * import { migrate, postgresBlobs, postgresStore } from "@pawl/postgres";
 * import { Pool } from "pg";
 *
 * const db = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(db);
 * runtime({ agents: [], store: postgresStore(db), blobs: postgresBlobs(db) });
 * await db.end();
 * ```
 */
export function postgresBlobs(database: Database): BlobStore {
  checkDatabase("postgresBlobs()", database);
  const db = ownTables(database);
  return {
    async put(sessionId, id, text) {
      if (!isName(sessionId)) throw noSession(sessionId);
      checkNames(id);
      checkText(text);
      const rows = await ask(db, putBlob, [sessionId, id, text]);
      if (rows.length === 0) throw noSession(sessionId);
    },
    async get(sessionId, id) {
      if (!isName(sessionId) || !isName(id)) return undefined;
      const [row] = await ask(db, getBlob, [sessionId, id]);
      return row === undefined ? undefined : String(row.data);
    },
  };
}

const putBlob = `
INSERT INTO agent_session_blobs (session_id, id, data)
SELECT id, $2::text, $3::text FROM agent_sessions WHERE id = $1::text
ON CONFLICT (session_id, id) DO UPDATE SET stored_at = excluded.stored_at
RETURNING 1`;

const getBlob = "SELECT data FROM agent_session_blobs WHERE session_id = $1::text AND id = $2::text";
