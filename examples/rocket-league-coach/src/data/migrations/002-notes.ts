/** Creates the table of coaching notes. A note is stored once for each call that saves it. */
export const notes = `
CREATE TABLE rl_coach.note (
  user_id text NOT NULL,
  call_key text NOT NULL,
  note_id text NOT NULL,
  topic text NOT NULL,
  body text NOT NULL,
  replay_id text,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, call_key)
);
CREATE INDEX note_of_user ON rl_coach.note (user_id, written_at);
`;
