import {
  type AppendOptions,
  EVENT_VERSION,
  type Json,
  jsonbText,
  jsonText,
  type NewEvent,
  type SessionPatch,
} from "@pawl/core";

/** The whole append, see migration 3. No row: it was refused. */
export const appendStatement: string = `
SELECT base, at FROM pawl_append($1::text, $2::text, $3::integer, $4::integer, $5::text::json, $6::text::json,
  $7::integer, $8::text, $9::integer, $10::boolean, $11::text::json)`;

/** An append made ready: checked, and its payloads as text, so that nobody can change them any more. */
export interface PreparedAppend {
  sessionId: string;
  events: readonly { type: string; key?: string; duration_ms?: number }[];
  payloads: readonly string[];
  values: unknown[];
}

/** The values of {@link appendStatement}. */
export function prepareAppend(
  sessionId: string,
  newEvents: readonly NewEvent[],
  options: AppendOptions,
): PreparedAppend {
  const { appendId, lease, afterSeq, release = false, session } = options;
  const payloads = newEvents.map((event) => jsonText(event.data));
  const events = newEvents.map(({ type, key, durationMs }) => ({
    type,
    ...(key === undefined ? {} : { key }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  }));
  const values = [
    sessionId,
    appendId,
    EVENT_VERSION,
    events.length,
    jsonText(events),
    `[${payloads.join(",")}]`,
    // An epoch that no lease ever has, for a lease of another session.
    lease === undefined ? null : lease.sessionId === sessionId ? lease.epoch : -1,
    lease?.holder ?? null,
    afterSeq ?? null,
    release,
    patchText(session ?? {}),
  ];
  return { sessionId, events, payloads, values };
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
