/**
 * SQL of `pawl_rpc_acquire`. Later migrations add to what a lease sets, and to when another holder's lease is
 * over.
 */
export const acquireFunction = (sets = "", orOver = ""): string => `
CREATE OR REPLACE FUNCTION pawl_rpc_acquire(p_session_id text, p_holder text, p_ttl_ms float8)
RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  epoch integer;
BEGIN
  UPDATE agent_sessions
  SET lease_holder = p_holder, lease_epoch = lease_epoch + 1,
    lease_expires_at = clock_timestamp() + p_ttl_ms * interval '1 millisecond'${sets}
  WHERE id = p_session_id
    AND (lease_holder IS NULL OR lease_holder = p_holder OR lease_expires_at <= clock_timestamp()${orOver})
  RETURNING lease_epoch INTO epoch;
  RETURN json_build_object('epoch', epoch, 'at', date_part('epoch', clock_timestamp()),
    'known', epoch IS NOT NULL OR EXISTS (SELECT FROM agent_sessions WHERE id = p_session_id));
END $pawl$;`;

const openSession = `
CREATE OR REPLACE FUNCTION pawl_rpc_open_session(p_id text, p_user_id text, p_agent text, p_metadata text,
  p_holder text, p_ttl_ms float8, p_after_seq integer, p_snapshot text) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  found record;
BEGIN
  found := pawl_open_session(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, p_after_seq, p_snapshot);
  RETURN json_build_object('opened', found.opened, 'seq', found.seq, 'state', found.state,
    'at', date_part('epoch', clock_timestamp()));
END $pawl$;`;

/**
 * Has the functions for PostgREST that give a lease also return when it was given, in seconds since 1970.
 * By that a process knows whether the time has come for which a run waits. Rights stay as they are.
 */
export const acquired: string = `
${acquireFunction()}
${openSession}

DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname IN ('pawl_rpc_acquire', 'pawl_rpc_open_session') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;
`;
