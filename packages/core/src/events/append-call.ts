import type { Json } from "../json.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "./event.ts";
import type { AppendOptions } from "./event-store.ts";
import { noSession } from "./refused.ts";
import type { SessionPatch } from "./session-row.ts";
import { checkBatch, isName, jsonbText, jsonText } from "./storable.ts";

/**
 * An append made ready for `pawl_append` in a database: checked, and all of it as text, so that nobody can change it any
 * more and no driver reads anything into it.
 */
export interface AppendCall {
  readonly sessionId: string;
  readonly appendId: string;
  readonly version: number;
  /** How many events. */
  readonly size: number;
  /** A JSON array of `{ type, key, duration_ms }`. */
  readonly heads: string;
  /** A JSON array of the payloads. */
  readonly payloads: string;
  readonly leaseEpoch: number | null;
  readonly leaseHolder: string | null;
  readonly afterSeq: number | null;
  readonly release: boolean;
  /** What changes in the session's row, as a JSON object of its columns; `null` for nothing. */
  readonly patch: string | null;
  /** The keys of the events, in their order. */
  readonly keys: readonly string[];
  /** The events as they are read back, after the event `base`. `at` is an ISO time. */
  stored(base: number, at: string): StoredEvent[];
}

/**
 * Makes an append ready.
 *
 * @throws PawlError `not_found` for what cannot be the id of a session, and `invalid_input`
 */
export function appendCall(
  sessionId: string,
  newEvents: readonly NewEvent[],
  { appendId, lease, afterSeq, release = false, session = {} }: AppendOptions,
): AppendCall {
  if (!isName(sessionId)) throw noSession(sessionId);
  checkBatch(newEvents, appendId);
  const payloads = newEvents.map((event) => jsonText(event.data));
  const heads = newEvents.map(({ type, key, durationMs }) => ({
    type,
    ...(key === undefined ? {} : { key }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  }));
  return {
    sessionId,
    appendId,
    version: EVENT_VERSION,
    size: heads.length,
    heads: jsonText(heads),
    payloads: `[${payloads.join(",")}]`,
    // An epoch that no lease ever has, for a lease of another session.
    leaseEpoch: lease === undefined ? null : lease.sessionId === sessionId ? lease.epoch : -1,
    leaseHolder: lease?.holder ?? null,
    afterSeq: afterSeq ?? null,
    release,
    patch: patchText(session),
    keys: heads.flatMap(({ key }) => (key === undefined ? [] : [key])),
    stored: (base, at) =>
      heads.map(({ type, key, duration_ms }, index) => {
        const event = {
          sessionId,
          seq: base + index + 1,
          v: EVENT_VERSION,
          at,
          type,
          ...(key === undefined ? {} : { key }),
          ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
          data: JSON.parse(payloads[index] ?? "null") as Json,
        };
        return event as StoredEvent;
      }),
  };
}

/** What changes in the row, under the names of its columns; `null` for nothing. */
function patchText(patch: SessionPatch): string | null {
  const { status, openRun, addPending, addUsage, addCostCents, contextStartSeq, metadata } = patch;
  const changes: Record<string, Json | undefined> = {
    status,
    ...(openRun === undefined ? {} : { sets_open_run: true, open_run: openRun }),
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
    cost_cents: addCostCents,
    context_start: contextStartSeq,
    metadata,
  };
  const text = jsonbText(changes);
  return text === "{}" ? null : text;
}
