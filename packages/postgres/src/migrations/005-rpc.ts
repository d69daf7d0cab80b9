/**
 * The columns that the adapter's `toEvent` reads. `data` is text, because PostgREST parses JSON and stops at
 * a NUL. Converting whole rows to JSON takes half as long as building it from names and values.
 */
const eventColumns = `e.sequence_number AS seq, e.version, date_part('epoch', e.timestamp) AS at,
      e.event_type AS type, e.event_key AS key, e.duration_ms, e.data::text AS data`;

/** SQL that converts a session's row to JSON, without the lease. */
export const sessionJson: string = `json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'context_start_sequence', s.context_start_sequence, 'input_tokens', s.input_tokens,
    'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata)`;

/**
 * A page ends with the event that exceeds this size, in bytes of text: a response of unlimited size would hit
 * a limit or timeout somewhere. The stored size would not do, because payloads are compressed: a gigabyte of
 * one letter takes little space but fits into no response. So payloads are unpacked to measure them, at most
 * a few rows more than the page has.
 */
const PAGE_BYTES = 2_000_000;

/** SQL for the time in `p_ttl_ms` milliseconds. */
const expiry = "clock_timestamp() + p_ttl_ms * interval '1 millisecond'";

/**
 * The log over HTTP, through PostgREST: every operation of the store is one function, called with one
 * request. They run with the rights of their caller, so row-level security decides what is read, and the
 * rights on tables decide who may write.
 *
 * JSON arguments are texts, because PostgREST parses arguments that are JSON and refuses NUL and half
 * surrogate pairs. Every result is one JSON object: a set would be cut off silently at `max-rows`, and an
 * object shows that the response came from Pawl. No two functions have the same name, because PostgREST could
 * not tell them apart. None raises 40001, which PostgREST retries without end.
 */
export const rpc: string = `
CREATE FUNCTION pawl_rpc_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads text, p_payloads text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer, p_release boolean, p_patch text
) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  done record;
BEGIN
  SELECT a.base, a.at INTO done FROM pawl_append(p_session_id, p_append_id, p_version, p_size, p_heads::json,
    p_payloads::json, p_lease_epoch, p_lease_holder, p_after_seq, p_release, p_patch::json) a;
  RETURN json_build_object('base', done.base, 'at', done.at);
END $pawl$;

CREATE FUNCTION pawl_rpc_explain(p_session_id text, p_append_id text, p_keys text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object(
    'session', (
      SELECT json_build_object('last_sequence', s.last_sequence, 'lease_holder', s.lease_holder,
        'lease_epoch', s.lease_epoch)
      FROM agent_sessions s WHERE s.id = p_session_id),
    'before', (SELECT coalesce(json_agg(x), '[]') FROM (
      SELECT ${eventColumns}
      FROM agent_session_events e, agent_session_events first
      WHERE first.session_id = p_session_id AND first.append_id = p_append_id AND e.session_id = p_session_id
        AND e.sequence_number >= first.sequence_number
        AND e.sequence_number < first.sequence_number + first.append_size
      ORDER BY e.sequence_number
    ) x),
    'taken', (SELECT to_json(x) FROM (
      SELECT ${eventColumns}
      FROM json_array_elements_text(p_keys::json) WITH ORDINALITY AS k (taken, n), agent_session_events e
      WHERE e.session_id = p_session_id AND e.event_key = k.taken
      ORDER BY k.n LIMIT 1
    ) x));
END $pawl$;

CREATE FUNCTION pawl_rpc_events(p_session_id text, p_after_seq integer, p_types text, p_limit integer)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
DECLARE
  one record;
  size bigint := 0;
  last integer;
BEGIN
  FOR one IN
    SELECT e.sequence_number AS seq, CASE WHEN pg_column_compression(e.data) IS NULL THEN pg_column_size(e.data)
      ELSE octet_length(e.data::text) END AS size
    FROM agent_session_events e
    WHERE e.session_id = p_session_id AND e.sequence_number > p_after_seq
      AND (p_types IS NULL OR e.event_type IN (SELECT json_array_elements_text(p_types::json)))
    ORDER BY e.sequence_number LIMIT p_limit
  LOOP
    size := size + one.size;
    IF size > ${PAGE_BYTES} THEN
      last := one.seq;
      EXIT;
    END IF;
  END LOOP;
  RETURN json_build_object('more', last IS NOT NULL, 'events', (
    SELECT coalesce(json_agg(x), '[]') FROM (
      SELECT ${eventColumns} FROM agent_session_events e
      WHERE e.session_id = p_session_id AND e.sequence_number > p_after_seq
        AND (last IS NULL OR e.sequence_number <= last)
        AND (p_types IS NULL OR e.event_type IN (SELECT json_array_elements_text(p_types::json)))
      ORDER BY e.sequence_number LIMIT p_limit
    ) x));
END $pawl$;

CREATE FUNCTION pawl_rpc_create_session(p_id text, p_user_id text, p_agent text, p_metadata text)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  made json;
BEGIN
  INSERT INTO agent_sessions AS s (id, user_id, agent, metadata, created_at, updated_at)
  SELECT p_id, p_user_id, p_agent, p_metadata::jsonb, now, now FROM clock_timestamp() AS now
  ON CONFLICT (id) DO NOTHING RETURNING ${sessionJson} INTO made;
  RETURN json_build_object('session', made);
END $pawl$;

CREATE FUNCTION pawl_rpc_session(p_id text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('session', (SELECT ${sessionJson} FROM agent_sessions s WHERE s.id = p_id));
END $pawl$;

CREATE FUNCTION pawl_rpc_sessions(p_user_id text, p_agent text, p_status text, p_limit integer)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${sessionJson} ORDER BY s.created_at DESC, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE user_id = p_user_id AND (p_agent IS NULL OR agent = p_agent)
        AND (p_status IS NULL OR status IN (SELECT json_array_elements_text(p_status::json)))
      ORDER BY created_at DESC, id LIMIT p_limit
    ) s));
END $pawl$;

CREATE FUNCTION pawl_rpc_recoverable(p_limit integer, p_agents text)
RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('sessions', (
    SELECT coalesce(json_agg(${sessionJson} ORDER BY s.updated_at, s.id), '[]')
    FROM (
      SELECT * FROM agent_sessions
      WHERE open_run IS NOT NULL AND status <> 'suspended'
        AND (p_agents IS NULL OR agent IN (SELECT json_array_elements_text(p_agents::json)))
        AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp())
      ORDER BY updated_at, id LIMIT p_limit
    ) s));
END $pawl$;

CREATE FUNCTION pawl_rpc_acquire(p_session_id text, p_holder text, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  epoch integer;
BEGIN
  UPDATE agent_sessions
  SET lease_holder = p_holder, lease_epoch = lease_epoch + 1, lease_expires_at = ${expiry}
  WHERE id = p_session_id
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp())
  RETURNING lease_epoch INTO epoch;
  RETURN json_build_object('epoch', epoch,
    'known', epoch IS NOT NULL OR EXISTS (SELECT FROM agent_sessions WHERE id = p_session_id));
END $pawl$;

CREATE FUNCTION pawl_rpc_renew(p_session_id text, p_holder text, p_epoch integer, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  UPDATE agent_sessions SET lease_expires_at = ${expiry}
  WHERE id = p_session_id AND lease_holder = p_holder AND lease_epoch = p_epoch;
  RETURN json_build_object('renewed', FOUND);
END $pawl$;

CREATE FUNCTION pawl_rpc_release(p_session_id text, p_holder text, p_epoch integer)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  UPDATE agent_sessions SET lease_holder = NULL, lease_expires_at = NULL
  WHERE id = p_session_id AND lease_holder = p_holder AND lease_epoch = p_epoch;
  RETURN json_build_object('released', FOUND);
END $pawl$;

CREATE FUNCTION pawl_rpc_put_blob(p_session_id text, p_id text, p_data text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  INSERT INTO agent_session_blobs AS b (session_id, id, data)
  SELECT s.id, p_id, p_data FROM agent_sessions s WHERE s.id = p_session_id
  ON CONFLICT (session_id, id) DO UPDATE SET stored_at = excluded.stored_at;
  RETURN json_build_object('known', FOUND);
END $pawl$;

CREATE FUNCTION pawl_rpc_get_blob(p_session_id text, p_id text) RETURNS json LANGUAGE plpgsql STABLE AS $pawl$
BEGIN
  RETURN json_build_object('data',
    (SELECT b.data FROM agent_session_blobs b WHERE b.session_id = p_session_id AND b.id = p_id));
END $pawl$;

CREATE FUNCTION pawl_rpc_send_message(p_session_id text, p_append_id text, p_message text,
  p_client_message_id text) RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_send_message(p_session_id, p_append_id, p_message::json, p_client_message_id) m);
END $pawl$;

CREATE FUNCTION pawl_rpc_answer(p_session_id text, p_append_id text, p_question integer, p_value text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_answer(p_session_id, p_append_id, p_question, p_value::json) m);
END $pawl$;
`;
