/**
 * Tables for sessions, events and snapshots, with the names of `@pawl/postgres`. Times are milliseconds since
 * 1970. JSON is text, so that it is returned as it was sent. A payload that is longer than a row may be in a
 * Durable Object (2 MB) has its first part in `data` and the others in `agent_session_event_parts`.
 *
 * Each statement is run alone: some drivers run only the first one of a text.
 */
export const log: readonly string[] = [
  `CREATE TABLE agent_sessions (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active'
    CHECK (status IN ('active', 'suspended', 'completed', 'error', 'expired')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  context_start_sequence INTEGER NOT NULL DEFAULT 0,
  last_sequence INTEGER NOT NULL DEFAULT 0,
  open_run TEXT,
  pending INTEGER NOT NULL DEFAULT 0,
  wake_at INTEGER,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cached_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_1h_tokens INTEGER NOT NULL DEFAULT 0,
  total_cost_cents REAL NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL DEFAULT '{}',
  lease_holder TEXT,
  lease_epoch INTEGER NOT NULL DEFAULT 0,
  lease_expires_at REAL
) STRICT`,
  "CREATE INDEX agent_sessions_by_user ON agent_sessions (user_id, created_at)",
  "CREATE INDEX agent_sessions_recoverable ON agent_sessions (id) WHERE open_run IS NOT NULL",
  `CREATE TABLE agent_session_events (
  session_id TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
  sequence_number INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  version INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  duration_ms REAL,
  event_key TEXT,
  append_id TEXT,
  append_size INTEGER,
  parts INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (session_id, sequence_number)
) STRICT`,
  `CREATE UNIQUE INDEX agent_session_events_key
  ON agent_session_events (session_id, event_key) WHERE event_key IS NOT NULL`,
  `CREATE UNIQUE INDEX agent_session_events_append
  ON agent_session_events (session_id, append_id) WHERE append_id IS NOT NULL`,
  `CREATE TABLE agent_session_event_parts (
  session_id TEXT NOT NULL,
  sequence_number INTEGER NOT NULL,
  part INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence_number, part),
  FOREIGN KEY (session_id, sequence_number)
    REFERENCES agent_session_events (session_id, sequence_number) ON DELETE CASCADE
) STRICT`,
  `CREATE TABLE agent_session_snapshots (
  session_id TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  version TEXT NOT NULL,
  sequence_number INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (session_id, part)
) STRICT`,
];
