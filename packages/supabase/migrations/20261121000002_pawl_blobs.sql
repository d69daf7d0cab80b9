DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 2) THEN

CREATE TABLE agent_session_blobs (
  session_id text COLLATE "C" NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  data text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (session_id, id)
);

INSERT INTO pawl_migrations (version, name) VALUES (2, 'blobs');
END IF;
END $pawl_migration$;

NOTIFY pgrst, 'reload schema';
