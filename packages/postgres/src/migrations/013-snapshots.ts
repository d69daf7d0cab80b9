import { inSchema, storeEvent, storeEvents } from "./006-append.ts";
import { READABLE } from "./009-access.ts";
import { statusAfterAppend } from "./010-suspended.ts";
import { wakeAtAfterAppend } from "./011-wake.ts";
import { SERVICE_RPC } from "./012-open.ts";

const deleted = `
    DELETE FROM %1$I.agent_session_snapshots WHERE session_id = p_session_id AND done IS NOT NULL;
  END IF;`;

/** SQL that deletes the session's snapshot if an append redacts something. */
const afterEvent = `
  IF p_type = 'redaction' THEN${deleted}`;
const afterEvents = `
  IF strpos(p_heads, '"redaction"') > 0 THEN${deleted}`;

const functions = `
CREATE FUNCTION pawl_open_session(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer, p_snapshot text, OUT opened json, OUT seq integer, OUT state text
) LANGUAGE plpgsql AS $pawl$
BEGIN
  SELECT s.sequence_number, s.state INTO seq, state FROM agent_session_snapshots s
  WHERE s.session_id = p_id AND s.version = p_snapshot AND s.sequence_number > p_after_seq;
  opened := pawl_open(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, greatest(p_after_seq, seq));
  IF seq IS NOT NULL AND opened ->> 'epoch' IS NULL THEN
    seq := NULL;
    state := NULL;
  END IF;
END $pawl$;

CREATE FUNCTION pawl_save_snapshot(p_session_id text, p_version text, p_seq integer, p_state text)
RETURNS boolean LANGUAGE plpgsql AS $pawl$
BEGIN
  -- Locks the session's row: an append waits, and then sees the snapshot that it may have to delete. At a
  -- stricter isolation level, an append that has waited for a change fails, and is retried.
  UPDATE agent_sessions SET last_sequence = last_sequence WHERE id = p_session_id AND last_sequence = p_seq;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO agent_session_snapshots (session_id, version, sequence_number, state)
  VALUES (p_session_id, p_version, p_seq, p_state)
  ON CONFLICT (session_id) DO UPDATE SET version = excluded.version, sequence_number = excluded.sequence_number,
    state = excluded.state, stored_at = excluded.stored_at;
  RETURN true;
END $pawl$;

CREATE FUNCTION pawl_rpc_open_session(p_id text, p_user_id text, p_agent text, p_metadata text, p_holder text,
  p_ttl_ms float8, p_after_seq integer, p_snapshot text) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  found record;
BEGIN
  found := pawl_open_session(p_id, p_user_id, p_agent, p_metadata, p_holder, p_ttl_ms, p_after_seq, p_snapshot);
  RETURN json_build_object('opened', found.opened, 'seq', found.seq, 'state', found.state);
END $pawl$;

CREATE FUNCTION pawl_rpc_save_snapshot(p_session_id text, p_version text, p_seq integer, p_state text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN json_build_object('saved', pawl_save_snapshot(p_session_id, p_version, p_seq, p_state));
END $pawl$;
`;

/** The functions for roles that append by SQL, and those for roles that append through PostgREST. */
const OF_SERVICE = `pawl_open_session(text, text, text, text, text, double precision, integer, text),
    pawl_save_snapshot(text, text, integer, text)`;
const OF_RPC = `pawl_rpc_open_session(text, text, text, text, text, double precision, integer, text),
    pawl_rpc_save_snapshot(text, text, integer, text)`;

const rights = `
CREATE FUNCTION pawl_grant_snapshots(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_snapshots', 'agent_session_snapshots_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_snapshots TO %I USING (true) WITH CHECK (true)',
    'agent_session_snapshots_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_snapshots TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION ${OF_SERVICE} TO %I', p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_log(p_role);
  PERFORM pawl_grant_snapshots(p_role);
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_live', 'agent_session_live_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_live TO %I USING (true) WITH CHECK (true)',
    'agent_session_live_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_live TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_open(text, text, text, text, text, double precision, integer) TO %I',
    p_role);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_rpc_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_rpc(p_role, ARRAY['pawl_user_id', ${SERVICE_RPC}, 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot']);
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_grant_users(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), p_role);
  EXECUTE format('REVOKE ALL ON pawl_migrations, agent_sessions, agent_session_events, agent_session_blobs,
    agent_session_summaries, agent_daily_metrics, agent_reservations, agent_session_live,
    agent_session_snapshots FROM %I', p_role);
  EXECUTE format('GRANT SELECT ON agent_session_blobs, agent_session_summaries, agent_daily_metrics TO %I', p_role);
  EXECUTE format('GRANT SELECT (${READABLE.agent_sessions}, wake_at) ON agent_sessions TO %I', p_role);
  EXECUTE format('GRANT SELECT (${READABLE.agent_session_events}) ON agent_session_events TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION pawl_user_id(), pawl_send_message(text, text, json, text),
    pawl_answer(text, text, integer, json) TO %I', p_role);
END $pawl$;

DECLARE
  one regprocedure;
  given name;
BEGIN
  FOREACH one IN ARRAY ARRAY['pawl_open_session', 'pawl_save_snapshot', 'pawl_rpc_open_session',
    'pawl_rpc_save_snapshot', 'pawl_grant_snapshots']::regproc[] LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
    FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
      WHERE p.oid = one AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', one, given);
    END LOOP;
  END LOOP;
  FOR given IN SELECT DISTINCT r.rolname FROM pg_class c, aclexplode(c.relacl) a, pg_roles r
    WHERE c.oid = 'agent_session_snapshots'::regclass AND a.grantee <> c.relowner AND r.oid = a.grantee LOOP
    EXECUTE format('REVOKE ALL ON agent_session_snapshots FROM %I', given);
  END LOOP;
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'pawl_open_session', 'pawl_save_snapshot', 'pawl_rpc_open_session', 'pawl_rpc_save_snapshot',
    'pawl_grant_snapshots', 'pawl_grant_service', 'pawl_grant_rpc_service', 'pawl_grant_users') LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
  -- Who may append, may open sessions and keep snapshots.
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_store_events'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    PERFORM pawl_grant_snapshots(given);
  END LOOP;
  FOR given IN SELECT r.rolname FROM pg_proc p, aclexplode(p.proacl) a, pg_roles r
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = 'pawl_rpc_append'
      AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner AND r.oid = a.grantee LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION ${OF_RPC} TO %I', given);
  END LOOP;
END;
`;

/**
 * Table for snapshots: the state of a session after an event, which is a cache beside its log. A session has
 * one row at most. Any row may be deleted at any time.
 *
 * - `pawl_open_session` opens a session as `pawl_open` does, and also returns its snapshot of the version
 *   `p_snapshot`, if it is after `p_after_seq`. The events are then those after the snapshot.
 * - `pawl_save_snapshot` keeps a snapshot of the session's last event. Returns `false` if the session has
 *   other events by now, or does not exist.
 * - The functions that store events delete the snapshot if an event is a redaction. Processes of an earlier
 *   version use the same functions.
 *
 * `state` is JSON in a `text` column, because no statement reads parts of it. It is not compressed, so that
 * reading it is fast. It may have text that users must not see, so they have no rights on it.
 */
export const snapshots: string = `
CREATE TABLE agent_session_snapshots (
  session_id text COLLATE "C" PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
  version text COLLATE "C" NOT NULL,
  sequence_number integer NOT NULL,
  state text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE agent_session_snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
ALTER TABLE agent_session_snapshots ENABLE ROW LEVEL SECURITY;
${inSchema(storeEvent("CREATE OR REPLACE", afterEvent))}
${inSchema(storeEvents("CREATE OR REPLACE", statusAfterAppend, wakeAtAfterAppend, afterEvents))}
${functions}${rights}`;
