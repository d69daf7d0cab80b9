/**
 * Creates the tables of conversations. A turn is one request of a user with its reservation. `content_json`
 * is NULL in rows of the older shape, which have text only.
 */
export const chat = `
CREATE TABLE rl_coach.chat_session (
  session_id text PRIMARY KEY,
  user_id text NOT NULL,
  title text NOT NULL,
  replay_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX chat_session_of_user ON rl_coach.chat_session (user_id, updated_at);
CREATE TABLE rl_coach.chat_turn (
  reservation_id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES rl_coach.chat_session ON DELETE CASCADE,
  user_id text NOT NULL,
  is_free_preview boolean NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'aborted', 'recorded')),
  tokens_used bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
CREATE INDEX chat_turn_of_session ON rl_coach.chat_turn (session_id);
CREATE TABLE rl_coach.chat_message (
  message_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id text NOT NULL REFERENCES rl_coach.chat_session ON DELETE CASCADE,
  reservation_id text,
  ordinal integer,
  role text NOT NULL CHECK (role IN ('user', 'assistant')),
  content text NOT NULL,
  content_json text,
  created_at timestamptz NOT NULL,
  UNIQUE (reservation_id, ordinal)
);
CREATE INDEX chat_message_of_session ON rl_coach.chat_message (session_id, message_id);
CREATE TABLE rl_coach.free_preview (
  user_id text PRIMARY KEY,
  reservation_id text NOT NULL
);
`;
