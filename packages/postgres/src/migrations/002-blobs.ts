/**
 * Table for large payloads. `data` is JSON text in a `text` column, because SQL never looks into it.
 * `stored_at` is the time of the last `put`: a blob that is older than the longest append, and that no event
 * names, may be deleted.
 */
export const blobs: string = `
CREATE TABLE agent_session_blobs (
  session_id text COLLATE "C" NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  data text NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (session_id, id)
);
`;
