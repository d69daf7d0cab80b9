/** The characters that JavaScript's `trim()` removes, for a character class of a regular expression. */
export const BLANKS: string =
  "\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** The same characters escaped in JSON. Those below U+0020 are always escaped there. */
export const ESCAPED_BLANKS: string =
  "\\\\[tnfr]|\\\\u(0009|000[a-d]|0020|00a0|1680|200[0-9a]|2028|2029|202f|205f|3000|feff)";

/** The longest message, in bytes of its JSON. */
export const MAX_MESSAGE: number = 1_000_000;

/**
 * Refuses users' messages that are blank, however their JSON is written, and those above {@link MAX_MESSAGE}.
 * The text is checked without unescaping it, because SQL cannot hold a NUL.
 */
export const ownAgain: string = `
CREATE OR REPLACE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
  done text;
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  IF octet_length(p_message::text) > ${MAX_MESSAGE} THEN
    RAISE EXCEPTION 'A message has at most ${MAX_MESSAGE} bytes.' USING ERRCODE = 'PT422';
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string'
    OR p_message::text ~* '^\\s*"([${BLANKS}]|${ESCAPED_BLANKS})*"\\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  done := pawl_store_event(p_session_id, p_append_id, 1, 'user_message', 'message:' || p_client_message_id, NULL,
    '{"message":' || p_message::text
      || CASE WHEN (known.session).open_run IS NULL THEN '' ELSE ',"queued":true' END || '}', NULL, NULL, NULL);
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;
`;
