DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 7) THEN

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

INSERT INTO pawl_migrations (version, name) VALUES (7, 'live');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
