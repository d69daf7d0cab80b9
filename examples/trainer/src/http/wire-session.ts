import { centsFromUsd, type Session, type StoredEvent } from "@pawl/core";
import { cacheHitRate } from "@pawl/core/inspect";

/** A session as the trainer's clients see it. Times are ISO 8601 in UTC, `cache_hit_rate` is a percentage. */
export interface WireSession {
  id: string;
  user_id: string;
  created_at: string;
  updated_at: string;
  /** The number of the first event in the model's context. */
  context_start_sequence: number;
  total_tokens: number;
  cached_tokens: number;
  total_cost_cents: number;
  cache_hit_rate: number;
  status: Session["status"];
  metadata: Session["metadata"];
}

/** An event of the log as the trainer's clients see it. */
export interface WireEvent {
  session_id: string;
  sequence_number: number;
  event_type: string;
  timestamp: string;
  duration_ms: number | null;
  data: unknown;
}

export function wireSession(session: Session): WireSession {
  const { usage, costUsd } = session;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    id: session.id,
    user_id: session.userId,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    context_start_sequence: session.contextStartSeq,
    total_tokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
    cached_tokens: cacheReadTokens,
    total_cost_cents: centsFromUsd(costUsd),
    cache_hit_rate: Math.round(cacheHitRate(usage) * 1_000) / 10,
    status: session.status,
    metadata: session.metadata,
  };
}

export function wireEvent({ sessionId, seq, type, at, durationMs, data }: StoredEvent): WireEvent {
  return {
    session_id: sessionId,
    sequence_number: seq,
    event_type: type,
    timestamp: at,
    duration_ms: durationMs ?? null,
    data,
  };
}
