/**
 * Table for text in progress that is not stored yet, for readers in other processes. A session has one row,
 * which is overwritten while there are readers, and deleted when the leg ends. It only previews the log, so
 * losing it does no harm: the table is unlogged, and empty after a crash of the server.
 *
 * It holds text that no user has been shown, so users have no rights on it. Services have:
 * `pawl_grant_service` now calls the earlier function, renamed to `pawl_grant_log`, and grants rights on this
 * table.
 */
export const live: string = `
CREATE UNLOGGED TABLE agent_session_live (
  session_id text COLLATE "C" PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
  leg text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  attempt integer NOT NULL,
  data text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE agent_session_live ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE agent_session_live ENABLE ROW LEVEL SECURITY;

ALTER FUNCTION pawl_grant_service(name) RENAME TO pawl_grant_log;

CREATE FUNCTION pawl_grant_service(p_role name) RETURNS void LANGUAGE plpgsql AS $pawl$
BEGIN
  PERFORM pawl_grant_log(p_role);
  EXECUTE format('DROP POLICY IF EXISTS %I ON agent_session_live', 'agent_session_live_of_' || p_role);
  EXECUTE format('CREATE POLICY %I ON agent_session_live TO %I USING (true) WITH CHECK (true)',
    'agent_session_live_of_' || p_role, p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_session_live TO %I', p_role);
END $pawl$;

REVOKE EXECUTE ON FUNCTION pawl_grant_service(name) FROM PUBLIC;

DECLARE
  given name;
BEGIN
  EXECUTE format('ALTER FUNCTION pawl_grant_service(name) SET search_path = %I, pg_temp', current_schema());
  FOR given IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
    EXECUTE format('REVOKE ALL ON agent_session_live FROM %I', given);
    EXECUTE format('REVOKE ALL ON FUNCTION pawl_grant_service(name) FROM %I', given);
  END LOOP;
  FOR given IN
    SELECT unnest(roles) FROM pg_policies
      WHERE schemaname = current_schema() AND tablename = 'pawl_migrations' AND starts_with(policyname, 'pawl_migrations_of_')
    UNION SELECT rolname FROM pg_roles WHERE rolname = 'service_role'
  LOOP
    PERFORM pawl_grant_service(given);
  END LOOP;
END;
`;
