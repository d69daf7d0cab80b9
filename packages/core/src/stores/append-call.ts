import type { Json } from "../base/json.ts";
import { centsFromUsd } from "../base/usd.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "../log/event.ts";
import type { AppendOptions } from "../log/event-store.ts";
import type { SessionPatch } from "../log/session-row.ts";
import { checkBatch, isName, jsonbText, jsonText } from "../log/storable.ts";
import { noSession } from "./refusal.ts";

/**
 * An append prepared for a database: checked, with payloads as text, so that later changes by the caller have
 * no effect and no driver interprets them.
 */
export interface AppendCall {
  readonly sessionId: string;
  readonly appendId: string;
  readonly version: number;
  readonly events: readonly PreparedEvent[];
  readonly leaseEpoch: number | null;
  readonly leaseHolder: string | null;
  readonly afterSeq: number | null;
  readonly release: boolean;
  /** The changes to the session's row, as a JSON object of its columns; `null` for none. */
  readonly patch: string | null;
}

/** An event prepared for a database: its columns. */
export interface PreparedEvent {
  readonly type: string;
  readonly key: string | null;
  readonly durationMs: number | null;
  /** The payload as JSON text. */
  readonly data: string;
}

/**
 * Prepares an append for a database.
 *
 * @throws PawlError `not_found` for an invalid session id, `invalid_input` for an append that cannot be
 * stored
 */
export function appendCall(
  sessionId: string,
  newEvents: readonly NewEvent[],
  { appendId, lease, afterSeq, release = false, session }: AppendOptions,
): AppendCall {
  if (!isName(sessionId)) throw noSession(sessionId);
  checkBatch(newEvents, appendId);
  return {
    sessionId,
    appendId,
    version: EVENT_VERSION,
    events: newEvents.map(prepared),
    // -1 for a lease of another session: no lease has that epoch.
    leaseEpoch: lease === undefined ? null : lease.sessionId === sessionId ? lease.epoch : -1,
    leaseHolder: lease?.holder ?? null,
    afterSeq: afterSeq ?? null,
    release,
    patch: session === undefined ? null : patchText(session),
  };
}

function prepared({ type, key, durationMs, data }: NewEvent): PreparedEvent {
  // JSON has no NaN and no infinities.
  const duration = durationMs === undefined || !Number.isFinite(durationMs) ? null : durationMs;
  return { type, key: key ?? null, durationMs: duration, data: jsonText(data) };
}

/**
 * Returns the events of an append as two JSON arrays of the same length: `{ type, key, duration_ms }` of each
 * event, and the payloads.
 */
export function batchText({ events }: AppendCall): { heads: string; payloads: string } {
  const heads = events.map(({ type, key, durationMs }) => ({ type, key, duration_ms: durationMs }));
  return { heads: jsonText(heads), payloads: `[${events.map(({ data }) => data).join(",")}]` };
}

/** Returns the keys of an append's events, in order. */
export function keysOf({ events }: AppendCall): string[] {
  return events.flatMap(({ key }) => (key === null ? [] : [key]));
}

/** Returns the events as they will be read back, numbered from `base` + 1. `at` is an ISO 8601 time. */
export function storedEvents(
  { sessionId, version, events }: AppendCall,
  base: number,
  at: string,
): StoredEvent[] {
  return events.map(({ type, key, durationMs, data }, index) => {
    const event: Record<string, Json> = { sessionId, seq: base + index + 1, v: version, at, type };
    if (key !== null) event.key = key;
    if (durationMs !== null) event.durationMs = durationMs;
    event.data = JSON.parse(data) as Json;
    return event as unknown as StoredEvent;
  });
}

/** Returns the changes to the row under the names of its columns; `null` for none. */
function patchText(patch: SessionPatch): string | null {
  const { status, openRun, waitsFor, wakes, addPending, addUsage, addCostUsd, contextStartSeq, metadata } =
    patch;
  const changes: Record<string, Json | undefined> = {
    status,
    ...(openRun === undefined ? {} : { sets_open_run: true, open_run: openRun }),
    waits_for: waitsFor,
    wakes,
    pending: addPending,
    ...(addUsage === undefined
      ? {}
      : {
          input_tokens: Math.round(addUsage.inputTokens),
          output_tokens: Math.round(addUsage.outputTokens),
          cached_tokens: Math.round(addUsage.cacheReadTokens),
          cache_write_tokens: Math.round(addUsage.cacheWriteTokens),
          cache_write_1h_tokens: Math.round(addUsage.cacheWrite1hTokens ?? 0),
        }),
    cost_cents: addCostUsd === undefined ? undefined : centsFromUsd(addCostUsd),
    context_start: contextStartSeq,
    metadata,
  };
  const text = jsonbText(changes);
  return text === "{}" ? null : text;
}
