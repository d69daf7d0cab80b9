/** SQL for a session's row as JSON, with the fields that the adapters read. */
const sessionJson = `json_build_object('id', s.id, 'user_id', s.user_id, 'agent', s.agent, 'status', s.status,
    'created', date_part('epoch', s.created_at), 'updated', date_part('epoch', s.updated_at),
    'last_sequence', s.last_sequence, 'open_run', s.open_run, 'pending', s.pending,
    'wake_at', date_part('epoch', s.wake_at), 'context_start_sequence', s.context_start_sequence,
    'input_tokens', s.input_tokens, 'output_tokens', s.output_tokens, 'cached_tokens', s.cached_tokens,
    'cache_write_tokens', s.cache_write_tokens, 'cache_write_1h_tokens', s.cache_write_1h_tokens,
    'total_cost_cents', s.total_cost_cents, 'metadata', s.metadata)`;

/** The first events of a session: the page that the adapters read first, and at most this many bytes. */
const PAGE_EVENTS = 250;
const PAGE_BYTES = 2_000_000;

const arguments_ = "text, text, text, text, text, double precision, integer";

/** SQL for the names of the functions for services that use PostgREST, in a list. */
export const SERVICE_RPC: string = [
  ...["explain", "events", "session", "sessions", "recoverable", "get_blob", "append", "create_session"],
  ...["acquire", "renew", "release", "put_blob", "open"],
]
  .map((name) => `'pawl_rpc_${name}'`)
  .join(", ");

/**
 * SQL of `pawl_open`. Later migrations add to what a lease sets, and to when another holder's lease is over.
 */
export function openFunction(create: string, sets = "", orOver = ""): string {
  return `${create} FUNCTION pawl_open(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text, p_ttl_ms float8,
  p_after_seq integer) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  opened json;
  epoch integer;
  found_events json := '[]';
  one record;
  size bigint := 0;
  last integer;
BEGIN
  IF p_metadata IS NOT NULL THEN
    INSERT INTO agent_sessions (id, user_id, agent, metadata, created_at, updated_at)
    SELECT p_id, p_user_id, p_agent, p_metadata::jsonb, now, now FROM clock_timestamp() AS now
    ON CONFLICT (id) DO NOTHING;
  END IF;
  UPDATE agent_sessions AS s
  SET lease_holder = p_holder, lease_epoch = lease_epoch + 1,
    lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond'${sets}
  WHERE id = p_id AND user_id = p_user_id AND agent = p_agent AND status <> 'expired'
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp()${orOver})
  RETURNING lease_epoch, ${sessionJson} INTO epoch, opened;
  IF epoch IS NULL THEN
    SELECT ${sessionJson} INTO opened FROM agent_sessions s WHERE s.id = p_id AND s.user_id = p_user_id;
    RETURN json_build_object('session', opened, 'epoch', NULL, 'events', found_events);
  END IF;
  FOR one IN
    SELECT e.sequence_number AS seq, CASE WHEN pg_column_compression(e.data) IS NULL THEN pg_column_size(e.data)
      ELSE octet_length(e.data::text) END AS size
    FROM agent_session_events e
    WHERE e.session_id = p_id AND e.sequence_number > p_after_seq
    ORDER BY e.sequence_number LIMIT ${PAGE_EVENTS}
  LOOP
    size := size + one.size;
    last := one.seq;
    EXIT WHEN size > ${PAGE_BYTES};
  END LOOP;
  IF last IS NOT NULL THEN
    SELECT json_agg(x) INTO found_events FROM (
      SELECT e.sequence_number AS seq, e.version, date_part('epoch', e.timestamp) AS at, e.event_type AS type,
        e.event_key AS key, e.duration_ms, e.data::text AS data
      FROM agent_session_events e
      WHERE e.session_id = p_id AND e.sequence_number > p_after_seq AND e.sequence_number <= last
      ORDER BY e.sequence_number
    ) x;
  END IF;
  RETURN json_build_object('session', opened, 'epoch', epoch, 'events', found_events);
END $pawl$;`;
}

/**
 * `pawl_open` opens a session in one call: it creates the session if `p_metadata` is set and it does not
 * exist, gives its lease to `p_holder`, and returns its row and its first events after `p_after_seq`. Returns
 * no row to anybody but the owner. The lease stays as it is if another holder's is live, if the session has
 * expired, or if it belongs to another agent.
 *
 * The result is a JSON object with payloads as texts, like the results of the functions for PostgREST.
 * Each statement of the function sees what was committed before it. So the events are at least those that the
 * row counts: while the row is locked, nobody appends.
 */
export const open: string = `
${openFunction("CREATE")}

CREATE FUNCTION pawl_rpc_open(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer) RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN pawl_open(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, p_after_seq);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_log(p_role);
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_live', 'agent_session_live_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_live TO %I USING (true) WITH CHECK (true)',
    'agent_session_live_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_live TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_open(${arguments_}) TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${SERVICE_RPC}]);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  FOREACH one IN ARRAY ARRAY['pawl_open(${arguments_})', 'pawl_rpc_open(${arguments_})']::regprocedure[] LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
    FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.oid = one AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', one, given);
    END LOOP;
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open', 'pawl_rpc_open', 'pawl_grant_service', 'pawl_grant_rpc_service') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  -- Who may append, may open.
  FOR one, given IN SELECT CASE p.proname WHEN 'pawl_store_events' THEN 'pawl_open(${arguments_})'::regprocedure
        ELSE 'pawl_rpc_open(${arguments_})'::regprocedure END, r.rolname
      FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('pawl_store_events', 'pawl_rpc_append')
        AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one, given);
  END LOOP;
END;
`;
