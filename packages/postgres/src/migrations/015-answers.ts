import { answerFunction, JSON_STRING, MAX_LEVELS, refuseDeep } from "./009-own.ts";

/** From so many innermost pairs of brackets on, it costs less to remove them all than to look at each. */
const MANY_PAIRS = 50_000;

const declared = `
  brackets text;
  levels integer := ${MAX_LEVELS};
  size integer;
  deepest integer;`;

/**
 * SQL that refuses an answer that is nested too deeply.
 *
 * - Only its brackets are kept, all of one kind. What is between them is removed in long pieces.
 * - Without its innermost pairs, JSON is one level less deep. That is done as long as there are many pairs.
 * - Each piece that is left has opening brackets and then closing ones, so it is deepest between them.
 */
const checkDepth = `
  brackets := regexp_replace(replace(answer, ',', ''), '(?:${JSON_STRING}|[^][{}"])+', '', 'g');
  brackets := replace(replace(brackets, '{', '['), '}', ']');
  LOOP
    size := length(brackets);
    EXIT WHEN size IS NULL OR size <= 2 * levels;
    brackets := replace(brackets, '[]', '');
    levels := levels - 1;
    CONTINUE WHEN size - length(brackets) >= 2 * ${MANY_PAIRS};
    SELECT max(depth) INTO deepest FROM (
      SELECT sum(opened - closed) OVER (ORDER BY n) + closed AS depth FROM (
        SELECT n, length(rtrim(piece, ']')) AS opened, length(ltrim(piece, '[')) AS closed
        FROM string_to_table(replace(brackets, '][', '] ['), ' ') WITH ORDINALITY AS p (piece, n)
      ) counted
    ) summed;
    EXIT;
  END LOOP;
  IF deepest > levels THEN${refuseDeep}`;

/**
 * Checks in a tenth of the time how deep an answer is nested: 1 MB of brackets took the database 0.4 s,
 * with a row for each bracket. The same answers are refused. Rights stay as they are.
 */
export const answers: string = `
${answerFunction(checkDepth, declared)}

DECLARE
  one regprocedure;
BEGIN
  -- Replacing a function drops its settings.
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
    AND p.proname = 'pawl_answer' LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
  END LOOP;
END;
`;
