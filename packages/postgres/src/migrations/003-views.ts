/**
 * Views for monitoring. They count by event type only, because SQL must not look into payloads. A user sees
 * only the rows that row-level security allows (`security_invoker`, since Postgres 15).
 */
export const views: string = `
CREATE VIEW agent_session_summaries WITH (security_invoker = true) AS
SELECT s.id, s.user_id, s.agent, s.status, s.created_at, s.updated_at, s.context_start_sequence,
  s.input_tokens, s.output_tokens, s.cached_tokens, s.cache_write_tokens, s.total_tokens, s.total_cost_cents,
  s.cached_tokens::float8 / nullif(s.input_tokens + s.cached_tokens + s.cache_write_tokens, 0) AS cache_hit_rate,
  s.pending, s.metadata, s.last_sequence AS event_count,
  e.message_count, e.llm_call_count, e.tool_call_count, e.error_count, e.artifact_count, e.duration_ms
FROM agent_sessions s CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE event_type = 'user_message') AS message_count,
    count(*) FILTER (WHERE event_type = 'llm_response') AS llm_call_count,
    count(*) FILTER (WHERE event_type = 'tool_call') AS tool_call_count,
    count(*) FILTER (WHERE event_type = 'error') AS error_count,
    count(*) FILTER (WHERE event_type = 'artifact') AS artifact_count,
    coalesce(sum(duration_ms), 0) AS duration_ms
  FROM agent_session_events WHERE session_id = s.id
) e;

CREATE VIEW agent_daily_metrics WITH (security_invoker = true) AS
SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS session_count,
  count(*) FILTER (WHERE status = 'error') AS error_session_count,
  sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
  sum(cached_tokens)::bigint AS cached_tokens, sum(cache_write_tokens)::bigint AS cache_write_tokens,
  sum(total_tokens)::bigint AS total_tokens, sum(total_cost_cents) AS total_cost_cents,
  sum(cached_tokens)::float8 / nullif(sum(input_tokens + cached_tokens + cache_write_tokens), 0)::float8
    AS cache_hit_rate
FROM agent_sessions GROUP BY user_id, (created_at AT TIME ZONE 'UTC')::date;

COMMENT ON VIEW agent_daily_metrics IS 'By the day, in UTC, on which a session began.';
`;
