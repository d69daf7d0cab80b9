import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { DATABASE } from "../database/check-database.ts";
import { ask, type Database, type Row } from "../database/queryable.ts";

/** Options of `copyLog()`. */
export interface CopyOptions {
  /** Copies only sessions of this user. Default: all sessions. */
  userId?: string;
  /** Called after each copied session, with its id and its number of events. */
  onSession?(id: string, events: number): void;
}

/** The numbers of copied sessions, events and blobs. */
export interface CopiedLog {
  /** Sessions that were copied. */
  sessions: number;
  /** Events that were copied. */
  events: number;
  /** Blobs that were copied. */
  blobs: number;
  /** Sessions that the target had already. */
  present: number;
}

/**
 * The epoch of a session that is not copied completely. Its status is `expired`, so that no process runs it.
 */
const COPYING = -1;

/** The maximum number of events that one statement copies. */
const PAGE = 100;

const OPTIONS: OptionKinds<CopyOptions> = { userId: "string", onSession: "function" };

/**
 * Copies sessions with their events and blobs from one database to another, e.g. from an embedded one to a
 * server or back. Numbers, times, keys and append ids stay the same. Sessions that the target has already are
 * left unchanged. If a copy was interrupted, call `copyLog()` again to complete it. No process can run a
 * session before it is copied completely.
 *
 * A copy of a session with an open run has the open run too. If both databases have a runtime, both continue
 * the run, and its tools may run twice. To move a log, stop the processes of the source first, and do not
 * start them again.
 *
 * @throws PawlError `conflict` if the target has a different session with the same id, or the same session
 * with fewer events. `store_unavailable` if a database fails.
 *
 * @example
 * ```ts
 * import { copyLog, migrate } from "@pawl/postgres";
 * import { embeddedStore } from "@pawl/postgres/embedded";
 * import { Pool } from "pg";
 *
 * const store = await embeddedStore({ dataDir: "memory://" });
 * const server = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(server);
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * console.log(await copyLog(store.db, server)); // { sessions: 1, events: 0, blobs: 0, present: 0 }
 * await Promise.all([store.close(), server.end()]);
 * ```
 */
export async function copyLog(from: Database, to: Database, options: CopyOptions = {}): Promise<CopiedLog> {
  checkOptions("copyLog()", { from, to }, { from: DATABASE, to: DATABASE });
  checkOptions("copyLog()", options, OPTIONS);
  const copied: CopiedLog = { sessions: 0, events: 0, blobs: 0, present: 0 };
  let after = "";
  for (;;) {
    const rows = await ask(from, nextSessions, [after, options.userId ?? null]);
    for (const row of rows) await copySession(from, to, row, copied, options);
    const last = rows.at(-1);
    if (last === undefined) return copied;
    after = idOf(last);
  }
}

async function copySession(
  from: Database,
  to: Database,
  row: Row,
  copied: CopiedLog,
  { onSession }: CopyOptions,
): Promise<void> {
  const { session } = row;
  const id = idOf(row);
  const lastSeq = Number(row.last_sequence);
  await ask(to, beginSession, [session, COPYING]);
  const [target] = await ask(to, targetOf, [id, session, COPYING]);
  const there = Number(target?.last_sequence ?? 0);
  if (target?.same !== true || (target.copying !== true && there < lastSeq)) {
    throw new PawlError("conflict", `The target has a different session "${id}", or fewer events of it.`);
  }
  if (target.copying !== true) {
    copied.present += 1;
    return;
  }
  copied.blobs += await copyBlobs(from, to, id);
  for (let seq = there; seq < lastSeq; ) seq = await copyEvents(from, to, [id, seq, lastSeq]);
  await ask(to, endSession, [session, COPYING]);
  copied.sessions += 1;
  copied.events += lastSeq - there;
  onSession?.(id, lastSeq);
}

/**
 * Returns the session's id. Reads it from JSON, because PGlite drops a byte order mark at the beginning of a
 * text.
 */
function idOf({ session }: Row): string {
  return (JSON.parse(String(session)) as { id: string }).id;
}

/** Copies the next events of a session. Resolves to the number of the last copied event. */
async function copyEvents(
  from: Database,
  to: Database,
  [id, seq, lastSeq]: readonly [unknown, number, number],
): Promise<number> {
  const rows = await ask(from, nextEvents, [id, seq, lastSeq]);
  const heads = `[${rows.map(({ head }) => String(head)).join(",")}]`;
  const payloads = `[${rows.map(({ data }) => String(data)).join(",")}]`;
  const [stored] = await ask(to, storeEvents, [id, COPYING, seq, rows.length, heads, payloads]);
  if (rows.length === 0 || stored === undefined) {
    throw new PawlError("conflict", `Session "${id}" changed while it was copied.`);
  }
  return seq + rows.length;
}

async function copyBlobs(from: Database, to: Database, id: unknown): Promise<number> {
  const names = await ask(from, "SELECT id FROM agent_session_blobs WHERE session_id = $1::text", [id]);
  for (const name of names) {
    const [blob] = await ask(from, oneBlob, [id, name.id]);
    if (blob !== undefined) await ask(to, storeBlob, [id, name.id, blob.data, blob.stored_at]);
  }
  return names.length;
}

const nextSessions = `
SELECT s.last_sequence, row_to_json(s)::text AS session FROM agent_sessions s
WHERE s.id > $1::text AND ($2::text IS NULL OR s.user_id = $2::text) ORDER BY s.id LIMIT 100`;

const beginSession = `
INSERT INTO agent_sessions (id, user_id, agent, created_at, updated_at, metadata, status, lease_epoch)
SELECT id, user_id, agent, created_at, updated_at, metadata, 'expired', $2::integer
FROM json_populate_record(NULL::agent_sessions, $1::text::json) ON CONFLICT DO NOTHING`;

const targetOf = `
SELECT t.last_sequence, t.user_id = r.user_id AND t.agent = r.agent AND t.created_at = r.created_at AS same,
  t.lease_epoch = $3::integer AS copying
FROM agent_sessions t, json_populate_record(NULL::agent_sessions, $2::text::json) r WHERE t.id = $1::text`;

const nextEvents = `
SELECT row_to_json(h)::text AS head, e.data::text AS data
FROM agent_session_events e, LATERAL (SELECT e.sequence_number, e.event_type, e.version, e.timestamp,
  e.duration_ms, e.event_key, e.append_id, e.append_size) h
WHERE e.session_id = $1::text AND e.sequence_number > $2::integer AND e.sequence_number <= $3::integer
ORDER BY e.sequence_number LIMIT ${PAGE}`;

const storeEvents = `
WITH session AS (
  UPDATE agent_sessions SET last_sequence = last_sequence + $4::integer
  WHERE id = $1::text AND lease_epoch = $2::integer AND last_sequence = $3::integer RETURNING id
), stored AS (
  INSERT INTO agent_session_events (id, session_id, sequence_number, event_type, version, timestamp, duration_ms,
    event_key, append_id, append_size, data)
  SELECT session.id || ':' || e.sequence_number, session.id, e.* FROM session, ROWS FROM (
    json_to_recordset($5::text::json) AS (sequence_number integer, event_type text, version smallint,
      timestamp timestamptz, duration_ms float8, event_key text, append_id text, append_size integer),
    json_array_elements($6::text::json)
  ) AS e (sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id, append_size, data)
)
SELECT id FROM session`;

const oneBlob = `
SELECT data, to_json(stored_at) #>> '{}' AS stored_at FROM agent_session_blobs WHERE session_id = $1::text AND id = $2::text`;

const storeBlob = `
INSERT INTO agent_session_blobs (session_id, id, data, stored_at)
VALUES ($1::text, $2::text, $3::text, $4::text::timestamptz) ON CONFLICT DO NOTHING`;

const endSession = `
UPDATE agent_sessions t SET status = r.status, open_run = r.open_run, pending = r.pending, metadata = r.metadata,
  wake_at = r.wake_at, updated_at = r.updated_at, context_start_sequence = r.context_start_sequence, lease_epoch = r.lease_epoch + 1,
  input_tokens = r.input_tokens, output_tokens = r.output_tokens, cached_tokens = r.cached_tokens,
  cache_write_tokens = r.cache_write_tokens, cache_write_1h_tokens = r.cache_write_1h_tokens,
  total_tokens = r.input_tokens + r.output_tokens + r.cached_tokens + r.cache_write_tokens,
  total_cost_cents = r.total_cost_cents
FROM json_populate_record(NULL::agent_sessions, $1::text::json) r
WHERE t.id = r.id AND t.lease_epoch = $2::integer AND t.last_sequence = r.last_sequence`;
