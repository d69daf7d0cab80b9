/**
 * Functions with which users append to their own sessions: a message, or the answer to a stored question. The
 * database makes types, keys and everything except the text, so nothing can be forged. A call with a known
 * append id returns the event of the first call. Refusals have SQLSTATEs that PostgREST converts to HTTP
 * statuses: `42501` (403), `PT404`, `PT409`, `PT422`.
 *
 * The database does not check an answer's value against the question's schema; the runtime does when it
 * resumes the run.
 */
export const own: string = `
CREATE FUNCTION pawl_own(p_session_id text, p_append_id text, OUT session agent_sessions,
  OUT sequence_number integer, OUT at text) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
BEGIN
  IF pawl_user_id() IS NULL THEN
    RAISE EXCEPTION 'Nobody is signed in.' USING ERRCODE = '42501';
  END IF;
  SELECT s.* INTO session FROM agent_sessions s
  WHERE s.id = p_session_id AND s.user_id = pawl_user_id() FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such session.' USING ERRCODE = 'PT404';
  END IF;
  IF coalesce(p_append_id, '') = '' OR octet_length(p_append_id) > 1000 OR session.status = 'expired' THEN
    RAISE EXCEPTION 'This cannot be stored.' USING ERRCODE = 'PT422';
  END IF;
  SELECT e.sequence_number, to_char(e.timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  INTO sequence_number, at FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.append_id = p_append_id;
END $pawl$;

CREATE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string' OR p_message::text ~ '^\\s*"\\s*"\\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  SELECT a.base + 1, a.at INTO sequence_number, at FROM pawl_append(p_session_id, p_append_id, 1, 1,
    json_build_array(json_strip_nulls(json_build_object('type', 'user_message',
      'key', 'message:' || p_client_message_id))),
    ('[{"message":' || p_message::text
      || CASE WHEN (known.session).open_run IS NULL THEN '' ELSE ',"queued":true' END || '}]')::json) a;
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;

CREATE FUNCTION pawl_answer(p_session_id text, p_append_id text, p_question integer, p_value json,
  OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record := pawl_own(p_session_id, p_append_id);
  asked agent_session_events;
BEGIN
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT e.* INTO asked FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.sequence_number = p_question AND e.event_type = 'tool_suspended'
    AND starts_with(e.event_key, 'asked:');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such question.' USING ERRCODE = 'PT404';
  END IF;
  IF p_value IS NULL OR (known.session).open_run IS NULL THEN
    RAISE EXCEPTION 'This question cannot be answered.' USING ERRCODE = 'PT422';
  END IF;
  SELECT a.base + 1, a.at INTO sequence_number, at FROM pawl_append(p_session_id, p_append_id, 1, 1,
    json_build_array(json_build_object('type', 'tool_answered',
      'key', 'answer:' || substr(asked.event_key, length('asked:') + 1))),
    ('[{"tool_name":' || (asked.data -> 'tool_name')::text || ',"call_id":' || (asked.data -> 'call_id')::text
      || ',"value":' || p_value::text || '}]')::json,
    p_patch => '{"status":"active","pending":-1}') a;
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This question has been answered already.' USING ERRCODE = 'PT409';
END $pawl$;
`;
