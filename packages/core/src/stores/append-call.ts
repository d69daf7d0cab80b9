import type { Json } from "../base/json.ts";
import { centsFromUsd } from "../base/usd.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "../log/event.ts";
import type { SessionPatch } from "../log/session-row.ts";
import { checkBatch, isName, jsonbText, jsonText } from "../log/storable.ts";
import type { AppendOptions, Lease } from "../log/store/event-store.ts";
import { noSession } from "./refusal.ts";

/**
 * A checked append, as columns for a database. Payloads are JSON text already: later changes to the caller's
 * objects have no effect, and no driver converts them.
 */
export interface AppendCall {
  readonly sessionId: string;
  readonly appendId: string;
  /** The version `v` of every event: {@link EVENT_VERSION}. */
  readonly version: number;
  readonly events: readonly PreparedEvent[];
  /**
   * The epoch and the holder that the session's lease must have; otherwise refuse the append. `null`: no
   * condition.
   */
  readonly leaseEpoch: number | null;
  readonly leaseHolder: string | null;
  /** The `seq` that the session's last event must have; otherwise refuse the append. `null`: no condition. */
  readonly afterSeq: number | null;
  /** Whether to release the session's current lease, whatever its holder. */
  readonly release: boolean;
  /**
   * The changes to the session's row, as the text of a JSON object; `null` if nothing changes. A missing
   * field changes nothing.
   *
   * - `status`, `waits_for`, `wakes`: see {@link statusAfter}.
   * - `sets_wake_at`: `true` if `wake_at`, a time as ISO 8601 or `null`, replaces {@link Session.wakeAt}. If
   *   not, see {@link wakeAtAfter}.
   * - `sets_open_run`: `true` if `open_run`, a text or `null`, replaces the open run.
   * - `pending`: added to the number of pending questions. May be negative.
   * - `input_tokens`, `output_tokens`, `cached_tokens` (read from a cache), `cache_write_tokens`,
   *   `cache_write_1h_tokens`: integers, added to the totals of {@link Session.usage}.
   * - `cost_cents`: US cents, added to the total. `usdFromCents(total)` converts the total to exact US
   *   dollars.
   * - `context_start`: replaces {@link Session.contextStartSeq}.
   * - `metadata`: an object. Its fields replace the metadata's fields of the same name.
   */
  readonly patch: string | null;
}

/** An event to append, as columns for a database. */
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
    ...leaseColumns(sessionId, lease),
    afterSeq: afterSeq ?? null,
    release,
    patch: session === undefined ? null : patchText(session),
  };
}

/**
 * An epoch that no lease ever has. Stands for a lease that belongs to another session or has an invalid
 * holder.
 */
const NO_EPOCH = -1;

/** Returns the conditions of an append on the session's lease. */
function leaseColumns(
  sessionId: string,
  lease: Lease | undefined,
): Pick<AppendCall, "leaseEpoch" | "leaseHolder"> {
  if (lease === undefined) return { leaseEpoch: null, leaseHolder: null };
  const isPossible = lease.sessionId === sessionId && isName(lease.holder);
  return isPossible
    ? { leaseEpoch: lease.epoch, leaseHolder: lease.holder }
    : { leaseEpoch: NO_EPOCH, leaseHolder: "" };
}

function prepared({ type, key, durationMs, data }: NewEvent): PreparedEvent {
  // JSON cannot represent NaN and infinities.
  const duration = durationMs === undefined || !Number.isFinite(durationMs) ? null : durationMs;
  return { type, key: key ?? null, durationMs: duration, data: jsonText(data) };
}

/**
 * Returns the events of an append as two JSON arrays of the same length: `{ type, key, duration_ms }` of each
 * event, and the payloads.
 *
 * @example
 * ```ts
 * import { appendInSql, batchText, type SqlLog } from "@pawl/core/store";
 *
 * const log: SqlLog = {
 *   append: async (call) => {
 *     const { heads, payloads } = batchText(call);
 *     console.log(heads); // [{"type":"note","key":null,"duration_ms":null}]
 *     console.log(payloads); // [{"text":"hello"}]
 *     return { base: 0, at: "2026-11-22T09:05:47.310Z" };
 *   },
 *   explain: async () => undefined,
 * };
 * const events = [{ type: "note", data: { text: "hello" } }] as const;
 * await appendInSql(log, "s1", events, { appendId: "a1" });
 * ```
 */
export function batchText({ events }: AppendCall): { heads: string; payloads: string } {
  const heads = events.map(({ type, key, durationMs }) => ({ type, key, duration_ms: durationMs }));
  return { heads: jsonText(heads), payloads: `[${events.map(({ data }) => data).join(",")}]` };
}

/**
 * Returns the keys of an append's events, in order.
 *
 * @example
 * ```ts
 * import { appendInSql, keysOf, type SqlLog } from "@pawl/core/store";
 *
 * const log: SqlLog = {
 *   append: async (call) => {
 *     console.log(keysOf(call)); // [ 'greeting' ]
 *     return { base: 0, at: "2026-11-22T09:05:47.310Z" };
 *   },
 *   explain: async () => undefined,
 * };
 * const events = [{ type: "note", key: "greeting", data: { text: "hello" } }] as const;
 * await appendInSql(log, "s1", events, { appendId: "a1" });
 * ```
 */
export function keysOf({ events }: AppendCall): string[] {
  return events.flatMap(({ key }) => (key === null ? [] : [key]));
}

/**
 * Returns an append's events in their stored form, numbered from `base` + 1. `at` is the time of the append,
 * ISO 8601.
 */
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

/**
 * Returns the changes to the session's row as JSON text, under the names of {@link AppendCall.patch}. Returns
 * `null` if nothing changes.
 */
function patchText(patch: SessionPatch): string | null {
  const { status, openRun, waitsFor, wakes, wakeAt, addPending, addUsage, addCostUsd } = patch;
  const { contextStartSeq, metadata } = patch;
  const changes: Record<string, Json | undefined> = {
    status,
    ...(openRun === undefined ? {} : { sets_open_run: true, open_run: openRun }),
    waits_for: waitsFor,
    wakes,
    ...(wakeAt === undefined ? {} : { sets_wake_at: true, wake_at: wakeAt }),
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
  };
  const text = jsonbText(changes);
  const isEmpty = text === "{}";
  if (metadata === undefined) return isEmpty ? null : text;
  // Converted on its own, so that it may have as many nested levels as the metadata of a new session.
  return `${text.slice(0, -1)}${isEmpty ? "" : ","}"metadata":${jsonbText(metadata)}}`;
}
