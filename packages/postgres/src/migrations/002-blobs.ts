/**
 * Table for large payloads. `data` is JSON in a `text` column, because no statement reads parts of it.
 * `stored_at` is the time of the last `put`. A blob that no event refers to may be deleted once it is older
 * than the longest append.
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
