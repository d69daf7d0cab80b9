const seen = `s.id = p_session_id
        AND (p_lease_epoch IS NULL OR (s.lease_epoch = p_lease_epoch AND s.lease_holder = p_lease_holder))
        AND (p_after_seq IS NULL OR s.last_sequence = p_after_seq)`;

const columns = `id, session_id, sequence_number, event_type, version, timestamp, duration_ms, event_key, append_id,
      append_size, data`;

/**
 * SQL for the result of both functions. The statement itself computes it: PL/pgSQL would prepare a separate
 * expression again for every transaction.
 */
const result = (base: string, at: string) =>
  `${base} || ' ' || to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL for a number in the patch; 0 if it is missing. */
const added = (name: string, type = "bigint") => `coalesce((p_patch ->> '${name}')::${type}, 0)`;

/** SQL that stores all events of an append and updates the session's row, in one statement. */
const storeAll = (changes: string) => `
    WITH session AS (
      UPDATE %1$I.agent_sessions AS s SET
        last_sequence = s.last_sequence + p_size,
        updated_at = greatest(s.updated_at, clock_timestamp())${changes}
      WHERE ${seen}
      RETURNING s.last_sequence - p_size AS base, s.updated_at AS at
    ), stored AS (
      INSERT INTO %1$I.agent_session_events (${columns})
      SELECT p_session_id || ':' || (session.base + e.n)::text, p_session_id, session.base + e.n, e.type, p_version,
        session.at, e.duration_ms, e.key, CASE WHEN e.n = 1 THEN p_append_id END,
        CASE WHEN e.n = 1 THEN p_size END, e.data
      FROM session, ROWS FROM (
        json_to_recordset(p_heads::json) AS (type text, key text, duration_ms float8),
        json_array_elements(p_payloads::json)
      ) WITH ORDINALITY AS e (type, key, duration_ms, data, n)
    )
    SELECT ${result("session.base", "session.at")} INTO done FROM session;`;

const patched = (status: string, more: string) => `,
        status = ${status}${more},
        open_run = CASE WHEN (p_patch ->> 'sets_open_run')::boolean THEN p_patch ->> 'open_run' ELSE s.open_run END,
        pending = s.pending + ${added("pending", "integer")},
        input_tokens = s.input_tokens + ${added("input_tokens")},
        output_tokens = s.output_tokens + ${added("output_tokens")},
        cached_tokens = s.cached_tokens + ${added("cached_tokens")},
        cache_write_tokens = s.cache_write_tokens + ${added("cache_write_tokens")},
        cache_write_1h_tokens = s.cache_write_1h_tokens + ${added("cache_write_1h_tokens")},
        total_tokens = s.input_tokens + s.output_tokens + s.cached_tokens + s.cache_write_tokens
          + ${added("input_tokens")} + ${added("output_tokens")}
          + ${added("cached_tokens")} + ${added("cache_write_tokens")},
        total_cost_cents = s.total_cost_cents + ${added("cost_cents", "float8")},
        context_start_sequence = coalesce((p_patch ->> 'context_start')::integer, s.context_start_sequence),
        metadata = CASE WHEN p_patch ->> 'metadata' IS NULL THEN s.metadata
          ELSE s.metadata || (p_patch -> 'metadata')::jsonb END,
        lease_holder = CASE WHEN p_release THEN NULL ELSE s.lease_holder END,
        lease_expires_at = CASE WHEN p_release THEN NULL ELSE s.lease_expires_at END`;

/** Runs SQL with the current schema in place of `%1$I`. */
export const inSchema = (sql: string): string => `
EXECUTE format($pawl_function$${sql}$pawl_function$, current_schema());
`;

type Create = "CREATE" | "CREATE OR REPLACE";

/**
 * SQL that creates the function that stores a single event. `after` has statements that run once the event is
 * stored or refused.
 */
export const storeEvent = (create: Create, after = ""): string => `
${create} FUNCTION pawl_store_event(
  p_session_id text, p_append_id text, p_version integer, p_type text, p_key text, p_duration_ms float8, p_data text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer
) RETURNS text LANGUAGE plpgsql AS $pawl$
DECLARE
  done text;
BEGIN
  WITH session AS (
      UPDATE %1$I.agent_sessions AS s SET
        last_sequence = s.last_sequence + 1,
        updated_at = greatest(s.updated_at, clock_timestamp())
      WHERE ${seen}
      RETURNING s.last_sequence AS seq, s.updated_at AS at
    )
    INSERT INTO %1$I.agent_session_events (${columns})
    SELECT p_session_id || ':' || session.seq::text, p_session_id, session.seq, p_type, p_version,
      session.at, p_duration_ms, p_key, p_append_id, 1, p_data::json
    FROM session
    RETURNING ${result("(sequence_number - 1)", "timestamp")} INTO done;${after}
  RETURN done;
END $pawl$`;

/**
 * SQL that creates the function that stores any append. `status` is an expression for the session's new
 * status. `more` sets further columns of the session, with a comma before each. `after` has statements that
 * run once the append is stored or refused.
 */
export const storeEvents = (create: Create, status: string, more = "", after = ""): string => `
${create} FUNCTION pawl_store_events(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads text, p_payloads text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer, p_release boolean, p_changes text
) RETURNS text LANGUAGE plpgsql AS $pawl$
DECLARE
  p_patch json := p_changes;
  done text;
BEGIN
  IF p_patch IS NULL AND NOT p_release THEN${storeAll("")}
  ELSE
    IF p_patch ->> 'status' NOT IN ('active', 'suspended', 'completed', 'error', 'expired') THEN
      RAISE EXCEPTION 'There is no such status.' USING ERRCODE = 'check_violation';
    END IF;${storeAll(patched(status, more))}
  END IF;${after}
  RETURN done;
END $pawl$`;

/**
 * Functions that make appends cheaper; half of an append's time had been overhead.
 *
 * `pawl_store_event` stores a single event that changes nothing else, which most appends are.
 * `pawl_store_events` stores any append. Both take JSON as text. They return one text with the last number
 * before the append and the time, or NULL if the append is refused. They run with the rights of their caller.
 * Setting a `search_path` would cost time at every call, so tables are named with their schema instead.
 * `pawl_append` stays for processes of an earlier version that run next to newer ones.
 *
 * Both functions compute `id` and `total_tokens` and check the status themselves. For generated columns and
 * check constraints, the server would parse the expressions in every statement that writes the table.
 */
export const append: string = `
ALTER TABLE agent_session_events ALTER COLUMN id DROP EXPRESSION;
ALTER TABLE agent_sessions ALTER COLUMN total_tokens DROP EXPRESSION, ALTER COLUMN total_tokens SET DEFAULT 0,
  DROP CONSTRAINT IF EXISTS agent_sessions_status_check;
${inSchema(storeEvent("CREATE"))}${inSchema(storeEvents("CREATE", "coalesce(p_patch ->> 'status', s.status)"))}${inSchema(`
CREATE OR REPLACE FUNCTION pawl_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads json, p_payloads json,
  p_lease_epoch integer DEFAULT NULL, p_lease_holder text DEFAULT NULL, p_after_seq integer DEFAULT NULL,
  p_release boolean DEFAULT false, p_patch json DEFAULT NULL, OUT base integer, OUT at text
) RETURNS SETOF record LANGUAGE plpgsql AS $pawl$
DECLARE
  done text := %1$I.pawl_store_events(p_session_id, p_append_id, p_version, p_size, p_heads::text, p_payloads::text,
    p_lease_epoch, p_lease_holder, p_after_seq, p_release, p_patch::text);
BEGIN
  IF done IS NOT NULL THEN
    base := split_part(done, ' ', 1);
    at := split_part(done, ' ', 2);
    RETURN NEXT;
  END IF;
END $pawl$`)}
CREATE OR REPLACE FUNCTION pawl_rpc_append(
  p_session_id text, p_append_id text, p_version integer, p_size integer, p_heads text, p_payloads text,
  p_lease_epoch integer, p_lease_holder text, p_after_seq integer, p_release boolean, p_patch text
) RETURNS json LANGUAGE plpgsql AS $pawl$
DECLARE
  done text := pawl_store_events(p_session_id, p_append_id, p_version, p_size, p_heads, p_payloads, p_lease_epoch,
    p_lease_holder, p_after_seq, p_release, p_patch);
BEGIN
  RETURN json_build_object('base', split_part(done, ' ', 1)::integer, 'at', split_part(done, ' ', 2));
END $pawl$;
`;
