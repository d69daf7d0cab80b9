/**
 * Tables for sessions and their events. Ids are texts and compare by their bytes. `data` is `json`, not
 * `jsonb`, so that it is returned as it was sent: with the order of its keys, NUL and half surrogate pairs.
 * Columns that change with every append have no index, so that updating a session's row changes no index.
 */
export const log: string = `
CREATE TABLE agent_sessions (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  agent text NOT NULL,
  status text NOT NULL DEFAULT 'active'
    CHECK (status IN ('active', 'suspended', 'completed', 'error', 'expired')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  context_start_sequence integer NOT NULL DEFAULT 0,
  last_sequence integer NOT NULL DEFAULT 0,
  open_run text,
  pending integer NOT NULL DEFAULT 0,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  cached_tokens bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
  total_tokens bigint GENERATED ALWAYS AS
    (input_tokens + output_tokens + cached_tokens + cache_write_tokens) STORED,
  total_cost_cents double precision NOT NULL DEFAULT 0,
  metadata jsonb NOT NULL DEFAULT '{}',
  lease_holder text,
  lease_epoch integer NOT NULL DEFAULT 0,
  lease_expires_at timestamptz
) WITH (fillfactor = 80);

CREATE INDEX agent_sessions_by_user ON agent_sessions (user_id, created_at DESC, id);
CREATE INDEX agent_sessions_recoverable ON agent_sessions (id) WHERE open_run IS NOT NULL;

CREATE TABLE agent_session_events (
  id text GENERATED ALWAYS AS (session_id || ':' || sequence_number::text) STORED,
  session_id text COLLATE "C" NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
  sequence_number integer NOT NULL,
  event_type text NOT NULL,
  version smallint NOT NULL,
  timestamp timestamptz NOT NULL,
  duration_ms double precision,
  event_key text COLLATE "C",
  append_id text COLLATE "C",
  append_size integer,
  data json NOT NULL,
  UNIQUE (session_id, sequence_number)
);

CREATE UNIQUE INDEX agent_session_events_key
  ON agent_session_events (session_id, event_key) WHERE event_key IS NOT NULL;
CREATE UNIQUE INDEX agent_session_events_append
  ON agent_session_events (session_id, append_id) WHERE append_id IS NOT NULL;

COMMENT ON COLUMN agent_session_events.append_id IS
  'On the first event of an append only; append_size says how many events it had.';
`;
