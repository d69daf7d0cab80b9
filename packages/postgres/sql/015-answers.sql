DO $pawl_migration$ BEGIN
PERFORM pg_advisory_xact_lock(7231950);
CREATE TABLE IF NOT EXISTS pawl_migrations (
  version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
IF NOT EXISTS (SELECT FROM pawl_migrations WHERE version = 15) THEN


CREATE OR REPLACE FUNCTION pawl_answer(p_session_id text, p_append_id text, p_question integer, p_value json,
  OUT sequence_number integer, OUT at text
) LANGUAGE plpgsql SECURITY DEFINER AS $pawl$
DECLARE
  answer text := p_value;
  known record;
  asked record;
  about text[];
  done text;
  brackets text;
  levels integer := 500;
  size integer;
  deepest integer;
BEGIN
  IF octet_length(answer) > 1000000 THEN
    RAISE EXCEPTION 'An answer has at most 1000000 bytes.' USING ERRCODE = 'PT422';
  END IF;
  brackets := regexp_replace(replace(answer, ',', ''), '(?:"(?:[^"\\]|\\.)*"|[^][{}"])+', '', 'g');
  brackets := replace(replace(brackets, '{', '['), '}', ']');
  LOOP
    size := length(brackets);
    EXIT WHEN size IS NULL OR size <= 2 * levels;
    brackets := replace(brackets, '[]', '');
    levels := levels - 1;
    CONTINUE WHEN size - length(brackets) >= 2 * 50000;
    SELECT max(depth) INTO deepest FROM (
      SELECT sum(opened - closed) OVER (ORDER BY n) + closed AS depth FROM (
        SELECT n, length(rtrim(piece, ']')) AS opened, length(ltrim(piece, '[')) AS closed
        FROM string_to_table(replace(brackets, '][', '] ['), ' ') WITH ORDINALITY AS p (piece, n)
      ) counted
    ) summed;
    EXIT;
  END LOOP;
  IF deepest > levels THEN
    RAISE EXCEPTION 'An answer is nested at most 500 levels deep.' USING ERRCODE = 'PT422';
  END IF;
  known := pawl_own(p_session_id, p_append_id);
  sequence_number := known.sequence_number;
  at := known.at;
  IF sequence_number IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT e.event_key AS key, e.data::text AS data INTO asked FROM agent_session_events e
  WHERE e.session_id = p_session_id AND e.sequence_number = p_question AND e.event_type = 'tool_suspended'
    AND starts_with(e.event_key, 'asked:');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such question.' USING ERRCODE = 'PT404';
  END IF;
  about := regexp_match(asked.data, '^\s*\{\s*"tool_name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"call_id"\s*:\s*("(?:[^"\\]|\\.)*")');
  IF answer IS NULL OR about IS NULL OR (known.session).open_run IS NULL THEN
    RAISE EXCEPTION 'This question cannot be answered.' USING ERRCODE = 'PT422';
  END IF;
  done := pawl_store_events(p_session_id, 'user:' || p_append_id, 1, 1,
    json_build_array(json_build_object('type', 'tool_answered',
      'key', 'answer:' || substr(asked.key, length('asked:') + 1)))::text,
    '[{"tool_name":' || about[1] || ',"call_id":' || about[2] || ',"value":' || answer || '}]',
    NULL, NULL, NULL, false, '{"status":"active","pending":-1}');
  sequence_number := split_part(done, ' ', 1)::integer + 1;
  at := split_part(done, ' ', 2);
EXCEPTION WHEN unique_violation THEN
  RAISE EXCEPTION 'This question has been answered already.' USING ERRCODE = 'PT409';
END $pawl$;

DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname = 'pawl_answer' LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;

INSERT INTO pawl_migrations (version, name) VALUES (15, 'answers');
END IF;
END $pawl_migration$;
