/** Selects the rows of the next 100 sessions: `$1` is the id before them, `$2` a user or null. */
export const nextSessions = `
SELECT s.last_sequence, row_to_json(s)::text AS session FROM agent_sessions s
WHERE s.id > $1::text AND ($2::text IS NULL OR s.user_id = $2::text) ORDER BY s.id LIMIT 100`;

/** Selects those of the sessions of `$1` that the target has; `$2` is the epoch of an incomplete one. */
export const targetsOf = `
SELECT r.place, t.last_sequence, t.lease_epoch = $2::integer AS copying,
  t.user_id = r.user_id AND t.agent = r.agent AND t.created_at = r.created_at AS same
FROM json_array_elements($1::text::json) WITH ORDINALITY AS one (row, place),
  LATERAL (SELECT place, s.* FROM json_populate_record(NULL::agent_sessions, one.row) s) r
JOIN agent_sessions t ON t.id = r.id`;

/** Creates the sessions of `$1` without events, and with the epoch `$2`. */
export const beginSessions = `
INSERT INTO agent_sessions (id, user_id, agent, created_at, updated_at, metadata, status, lease_epoch)
SELECT id, user_id, agent, created_at, updated_at, metadata, 'expired', $2::integer
FROM json_populate_recordset(NULL::agent_sessions, $1::text::json) ON CONFLICT DO NOTHING`;

/**
 * Selects the events of `$1`, a JSON array with `id`, `after` and `upto`. Stops after 4 MB as stored,
 * so that a statement stays far below the 1 GB of a text in Postgres and the 512 MB of one in Node.
 */
export const nextEvents = `
SELECT place, row_to_json(h)::text AS head, data::text AS data
FROM (
  SELECT place, e.*, sum(pg_column_size(e.data)) OVER (ORDER BY place, e.sequence_number) - pg_column_size(e.data) AS before
  FROM ROWS FROM (json_to_recordset($1::text::json) AS (id text, after integer, upto integer))
    WITH ORDINALITY AS wanted (session, after, upto, place), agent_session_events e
  WHERE e.session_id = session AND e.sequence_number > after AND e.sequence_number <= upto
) n, LATERAL (SELECT n.session_id, n.sequence_number, n.event_type, n.version, n.timestamp, n.duration_ms,
  n.event_key, n.append_id, n.append_size) h
WHERE before < 4000000
ORDER BY place, n.sequence_number`;

/** Stores events, `$3` and `$4`, of the sessions of `$1`, a JSON array with `id`, `after` and `count`. */
export const storeEvents = `
WITH moved AS (
  UPDATE agent_sessions s SET last_sequence = m.after + m.count
  FROM json_to_recordset($1::text::json) AS m (id text, after integer, count integer)
  WHERE s.id = m.id AND s.lease_epoch = $2::integer AND s.last_sequence = m.after RETURNING s.id
), stored AS (
  INSERT INTO agent_session_events (id, session_id, sequence_number, event_type, version, timestamp, duration_ms,
    event_key, append_id, append_size, data)
  SELECT e.session_id || ':' || e.sequence_number, e.* FROM ROWS FROM (
    json_to_recordset($3::text::json) AS (session_id text, sequence_number integer, event_type text,
      version smallint, timestamp timestamptz, duration_ms float8, event_key text, append_id text,
      append_size integer),
    json_array_elements($4::text::json)
  ) AS e (session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id,
    append_size, data)
  WHERE e.session_id IN (SELECT id FROM moved)
)
SELECT count(*) AS sessions FROM moved`;

/** Selects the ids of the blobs of the sessions in `$1`, a JSON array of ids. */
export const nextBlobs = `
SELECT place, b.id FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS one (id, place)
JOIN agent_session_blobs b ON b.session_id = one.id`;

export const oneBlob = `
SELECT data, to_json(stored_at) #>> '{}' AS stored_at FROM agent_session_blobs WHERE session_id = $1::text AND id = $2::text`;

export const storeBlob = `
INSERT INTO agent_session_blobs (session_id, id, data, stored_at)
VALUES ($1::text, $2::text, $3::text, $4::text::timestamptz) ON CONFLICT DO NOTHING`;

/** Gives the sessions of `$1` their state, so that processes can run them. */
export const endSessions = `
UPDATE agent_sessions t SET status = r.status, open_run = r.open_run, pending = r.pending, metadata = r.metadata,
  wake_at = r.wake_at, updated_at = r.updated_at, context_start_sequence = r.context_start_sequence, lease_epoch = r.lease_epoch + 1,
  input_tokens = r.input_tokens, output_tokens = r.output_tokens, cached_tokens = r.cached_tokens,
  cache_write_tokens = r.cache_write_tokens, cache_write_1h_tokens = r.cache_write_1h_tokens,
  total_tokens = r.input_tokens + r.output_tokens + r.cached_tokens + r.cache_write_tokens,
  total_cost_cents = r.total_cost_cents
FROM json_populate_recordset(NULL::agent_sessions, $1::text::json) r
WHERE t.id = r.id AND t.lease_epoch = $2::integer AND t.last_sequence = r.last_sequence
RETURNING 1`;
