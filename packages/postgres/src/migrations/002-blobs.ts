/**
 * Large payloads, beside their sessions. `data` is JSON text in a `text` column, as nothing but its hash is
 * asked of it. `stored_at` is when it was last put: what is older than any append can last, and named by no
 * event, may go.
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
