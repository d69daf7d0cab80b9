import { BLANKS, ESCAPED_BLANKS, MAX_MESSAGE } from "./006-own.ts";

/** The longest answer, in bytes of its JSON: as long as a message. */
const MAX_ANSWER = MAX_MESSAGE;

/** How many levels deep an answer may be nested: as many as `toJson` of core allows for any value. */
export const MAX_LEVELS: number = 500;

/**
 * SQL that returns whether JSON text is nested too deeply. Removes escaped backslashes and quotes, then drops
 * every second part between quotes (the strings), and counts the remaining brackets. Text with few brackets
 * is accepted at once.
 */
const tooDeep = (
  json: string,
): string => `length(${json}) - length(translate(${json}, '[{', '')) > ${MAX_LEVELS} AND (
    SELECT max(depth) > ${MAX_LEVELS} FROM (
      SELECT sum(CASE WHEN one IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS depth
      FROM string_to_table((
        SELECT string_agg(regexp_replace(part, '[^][{}]+', '', 'g'), '' ORDER BY n)
        FROM string_to_table(replace(replace(${json}, '\\\\', ''), '\\"', ''), '"') WITH ORDINALITY AS p (part, n)
        WHERE n % 2 = 1
      ), NULL) WITH ORDINALITY AS b (one, n)
    ) levels)`;

/** SQL that refuses an answer that is nested too deeply. */
export const refuseDeep: string = `
    RAISE EXCEPTION 'An answer is nested at most ${MAX_LEVELS} levels deep.' USING ERRCODE = 'PT422';
  END IF;`;

const checkDepth = `
  IF ${tooDeep("answer")} THEN${refuseDeep}`;

/** A JSON string, in a regular expression. */
export const JSON_STRING: string = '"(?:[^"\\\\]|\\\\.)*"';

/** SQL that returns the event of the first call, if the append id is known. */
const returnKnown = `
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;`;

/** SQL that returns the event that was stored. */
const returnDone = `
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);`;

/**
 * SQL that creates the function by which users answer. `checkDepth` has statements that refuse an answer
 * that is nested too deeply, and `declared` has variables for them.
 */
export const answerFunction = (checkDepth: string, declared = ""): string => `
CREATE OR REPLACE FUNCTION pawl_answer(p_session_id text, p_append_id text, p_question integer, p_value json,
  OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  answer text := p_value;
  known record;
  asked record;
  about text[];
  done text;${declared}
BEGIN
  IF octet_length(answer) > ${MAX_ANSWER} THEN
    RAISE EXCEPTION 'An answer has at most ${MAX_ANSWER} bytes.' USING ERRCODE = 'PT422';
  END IF;${checkDepth}
  known := pawl_own(p_session_id, p_append_id);${returnKnown}
  SELECT e.event_key AS key, e.data::text AS data INTO asked FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.sequence_number = p_question AND e.event_type = 'tool_suspended'
    AND starts_with(e.event_key, 'asked:');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such question.' USING ERRCODE = 'PT404';
  END IF;
  about := regexp_match(asked.data, '^\\s*\\{\\s*"tool_name"\\s*:\\s*(${JSON_STRING})\\s*,\\s*"call_id"\\s*:\\s*(${JSON_STRING})');
  IF answer IS NULL OR about IS NULL OR (known.session).open_run IS NULL THEN
    RAISE EXCEPTION 'This question cannot be answered.' USING ERRCODE = 'PT422';
  END IF;
  done := pawl_store_events(p_session_id, 'user:' || p_append_id, 1, 1,
    json_build_array(json_build_object('type', 'tool_answered',
      'key', 'answer:' || substr(asked.key, length('asked:') + 1)))::text,
    '[{"tool_name":' || about[1] || ',"call_id":' || about[2] || ',"value":' || answer || '}]',
    NULL, NULL, NULL, false, '{"status":"active","pending":-1}');${returnDone}
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This question has been answered already.' USING ERRCODE = 'PT409';
END $pawl$;`;

/**
 * Separates what users store from what runs store, and limits users' answers as the runtime does.
 *
 * - Append ids of users are stored with the prefix `user:`, so no user can take the id of a run's append. Ids
 *   stored before this migration are not changed: a message or an answer that is sent again is still found
 *   under its old id. If such an id is the id of a run's append, core's `write()` fences that leg, and the
 *   next leg has new ids.
 * - A session in which an agent does a task for another agent accepts nothing from its user, as over HTTP.
 *   Questions of such a task are answered in the session of the run that gave the task.
 * - Size and depth are checked before the session is locked, because the checks take time.
 * - A message wakes a suspended session, as every answer does, so that the next sweep handles it (migration
 *   10).
 * - The names in a question are matched in its text, because Postgres cannot parse JSON that contains a NUL.
 */
export const ownIds: string = `
CREATE OR REPLACE FUNCTION pawl_own(p_session_id text, p_append_id text, OUT session agent_sessions,
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
  IF session.id = (session.metadata #>> '{parent,session_id}') || ':' || (session.metadata #>> '{parent,call_id}') THEN
    RAISE EXCEPTION 'This session is an agent''s task. Write to the session of the run that gave the task.'
      USING ERRCODE = 'PT422';
  END IF;
  SELECT e.sequence_number, to_char(e.timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  INTO sequence_number, at FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.append_id IN ('user:' || p_append_id, p_append_id)
    AND e.append_size = 1 AND e.event_type IN ('user_message', 'tool_answered')
  ORDER BY e.sequence_number LIMIT 1;
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_send_message(p_session_id text, p_append_id text, p_message json,
  p_client_message_id text DEFAULT NULL, OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  known record;
  queued boolean;
  done text;
BEGIN
  IF octet_length(p_message::text) > ${MAX_MESSAGE} THEN
    RAISE EXCEPTION 'A message has at most ${MAX_MESSAGE} bytes.' USING ERRCODE = 'PT422';
  END IF;
  IF p_message IS NULL OR json_typeof(p_message) <> 'string'
    OR p_message::text ~* '^\\s*"([${BLANKS}]|${ESCAPED_BLANKS})*"\\s*$'
    OR p_client_message_id = '' OR octet_length(p_client_message_id) > 900 THEN
    RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
  END IF;
  known := pawl_own(p_session_id, p_append_id);${returnKnown}
  queued := (known.session).open_run IS NOT NULL;
  done := pawl_store_events(p_session_id, 'user:' || p_append_id, 1, 1,
    json_build_array(json_strip_nulls(json_build_object('type', 'user_message',
      'key', 'message:' || p_client_message_id)))::text,
    '[{"message":' || p_message::text || CASE WHEN queued THEN ',"queued":true' ELSE '' END || '}]',
    NULL, NULL, NULL, false, CASE WHEN queued THEN '{"wakes":true}' END);${returnDone}
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This message is there already.' USING ERRCODE = 'PT409';
END $pawl$;
${answerFunction(checkDepth)}

CREATE OR REPLACE FUNCTION pawl_rpc_send_message(p_session_id text, p_append_id text, p_message text,
  p_client_message_id text) RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_send_message(p_session_id, p_append_id, p_message::json, p_client_message_id) m);
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
  RAISE EXCEPTION 'A message is a text, as JSON.' USING ERRCODE = 'PT422';
END $pawl$;

CREATE OR REPLACE FUNCTION pawl_rpc_answer(p_session_id text, p_append_id text, p_question integer, p_value text)
RETURNS json LANGUAGE plpgsql AS $pawl$
BEGIN
  RETURN (SELECT json_build_object('seq', m.sequence_number, 'at', m.at)
    FROM pawl_answer(p_session_id, p_append_id, p_question, p_value::json) m);
EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
  RAISE EXCEPTION 'An answer is JSON, nested at most ${MAX_LEVELS} levels deep.' USING ERRCODE = 'PT422';
END $pawl$;
`;
