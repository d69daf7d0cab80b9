import type { Json } from "../base/json.ts";
import { usdFromCents } from "../base/usd.ts";
import { referenceOf } from "../log/blob-reference.ts";
import type { StoredEvent, StoredOf, TokenUsage } from "../log/event.ts";
import type { StopReason } from "../log/stop-reason.ts";

/** Returns a summary of an event in a few words, on one line. */
export function summaryOf(event: StoredEvent): string {
  const large = referenceOf(event.data);
  if (large !== undefined) return `${countOf(large.bytes)} bytes, in a blob`;
  switch (event.type) {
    case "user_message":
      return quotedText(event.data.message);
    case "assistant_message":
      return spokenText(event.data);
    case "note":
      return note(event.data);
    case "knowledge":
      // A public log has no content here.
      return joined(event.data.source, event.data.data === "" ? undefined : quotedText(event.data.data));
    case "artifact":
      return joined(event.data.type, quotedText(event.data.title));
    case "prefix":
      return prefix(event.data);
    case "llm_request":
      return request(event.data);
    case "llm_response":
      return joined(
        event.data.raw_response.stop_reason,
        usage(event.data.tokens),
        money(event.data.cost_cents),
        took(event),
      );
    case "spending":
      return joined(event.data.by, event.data.model, usage(event.data.tokens), money(event.data.cost_cents));
    case "error":
      return short(`${event.data.code}: ${event.data.message}`);
    default:
      return event.type.startsWith("tool_") ? toolSummary(event) : controlSummary(event);
  }
}

/** Summarizes a `prefix` event. In a public log the tools are missing, so their number is left out. */
function prefix({ system, tools }: Extract<StoredEvent, { type: "prefix" }>["data"]): string {
  if (system.length === 0) return "system prompt and tools";
  return `system prompt and ${tools.length} ${tools.length === 1 ? "tool" : "tools"}, as they are sent`;
}

/** Summarizes a `note` event. One with `landing` starts the last turn of the run. */
function note({ text, landing }: StoredOf<"note">["data"]): string {
  return joined(quotedText(text), landing && `last turn, ${reason(landing)}`);
}

function request(data: StoredOf<"llm_request">["data"]): string {
  return joined(
    `turn ${data.turn}`,
    data.model,
    `about ${countOf(data.estimated_tokens)} tokens`,
    `max_tokens ${countOf(data.params.max_tokens)}`,
    data.limited_by && `limited_by ${data.limited_by}`,
  );
}

function toolSummary(event: StoredEvent): string {
  switch (event.type) {
    case "tool_call":
      return joined(callId(event), `${event.data.tool_name}(${short(event.data.arguments)})`);
    case "tool_started":
      return joined(callId(event), event.data.tool_name, event.data.status);
    case "tool_suspended":
      return joined(callId(event), `${event.data.tool_name} asks and waits`);
    case "tool_answered":
      return joined(callId(event), answerSummary(event.data));
    case "tool_result":
      return joined(
        callId(event),
        event.data.tool_name,
        event.data.success ? undefined : "failed",
        short(event.data.result),
        took(event),
      );
    default:
      return "";
  }
}

/** Returns the last eight characters of the call's id, because a provider's ids all start alike. */
function callId({ data }: { data: { call_id: string } }): string {
  return `call ${data.call_id.slice(-8)}`;
}

/** Returns the first eight characters of the run's id. */
function runId({ data }: { data: { run_id: string } }): string {
  return `run ${data.run_id.slice(0, 8)}`;
}

function reason({ type, message }: StopReason): string {
  return `${type}: ${quotedText(message)}`;
}

function answerSummary({ value, error, closed }: StoredOf<"tool_answered">["data"]): string {
  if (closed !== undefined) return `closed: ${closed}`;
  return error === undefined ? short(value) : `failed: ${short(error)}`;
}

function controlSummary(event: StoredEvent): string {
  switch (event.type) {
    case "run_started":
      return joined(runId(event), `${event.data.agent}, version ${event.data.agent_version}`);
    case "run_suspended":
      return `waits for ${event.data.pending.length === 1 ? "an answer" : `${event.data.pending.length} answers`}`;
    case "run_recovered":
      return "resumed after its process died";
    case "run_ended":
      return joined(
        runId(event),
        reason(event.data.stop),
        `${event.data.turns} ${event.data.turns === 1 ? "turn" : "turns"}`,
        usage(event.data.tokens),
        money(event.data.cost_cents),
      );
    case "checkpoint":
      return `${event.data.reason}, from event ${event.data.from_seq} on`;
    case "redaction":
      return `redacts event ${event.data.seq}`;
    case "effect_started":
    case "effect_ended":
      return event.data.name;
    case "stop_requested":
      return event.data.interrupt ? "the user sent another message" : "a stop was requested";
    default:
      return "";
  }
}

function spokenText({
  content,
  disposition,
}: Extract<StoredEvent, { type: "assistant_message" }>["data"]): string {
  const text = content.find((block) => block.type === "text")?.text;
  const calls = content.filter((block) => block.type === "tool_use").length;
  return joined(
    disposition === "kept" ? undefined : disposition,
    typeof text === "string" ? quotedText(text) : undefined,
    calls === 0 ? undefined : `${calls} ${calls === 1 ? "call" : "calls"}`,
  );
}

function usage({ prompt, cached, cache_write, completion }: TokenUsage): string {
  const known = cached === 0 ? "" : ` (${countOf(cached)} cached)`;
  return `${countOf(prompt + cached + cache_write)} in${known}, ${countOf(completion)} out`;
}

/** Formats a cost in US dollars. Returns `undefined` for 0, e.g. if the model has no prices. */
function money(cents: number): string | undefined {
  return cents > 0 ? `$${usdFromCents(cents).toFixed(4)}` : undefined;
}

function took({ durationMs }: StoredEvent): string | undefined {
  if (durationMs === undefined) return undefined;
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}

function short(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function quotedText(text: string): string {
  return `“${short(text.replace(/\s+/g, " ").trim())}”`;
}

function countOf(n: number): string {
  return n.toLocaleString("en");
}

function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== null && part !== "").join(" · ");
}
