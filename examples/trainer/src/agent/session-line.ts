import { type Json, type StoredEvent, textOf, usdFromCents } from "@pawl/core";
import { summaryOf } from "@pawl/core/inspect";

/** The facts that a line needs besides its event. */
export interface LineContext {
  /** The events that were stored together with this one. */
  batch: readonly StoredEvent[];
  /** Returns the name of a data source, as users see it. */
  sourceName(source: string): string;
}

/**
 * Formats an event as one line: the time in UTC, the session, an icon, the type's name, an arrow to or from
 * the model, and details. For example:
 *
 * `14:32:02.890 [a1b2c3d4] 🔧 Tool Call → generate_workout {"workout":…`
 */
export function sessionLine(event: StoredEvent, context: LineContext): string {
  const { at, sessionId } = event;
  const line = `${at.slice(11, 23)} [${sessionId.slice(0, 8)}] ${described(event, context)}`;
  // Control characters in the content must not reach the terminal.
  return line.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

function described(event: StoredEvent, { batch, sourceName }: LineContext): string {
  switch (event.type) {
    case "user_message":
      return `👤 User: ${quoted(event.data.message)}`;
    case "llm_request": {
      const { model, estimated_tokens } = event.data;
      return `📤 LLM Request → ${model} est. ${thousands(estimated_tokens)} tokens`;
    }
    case "llm_response": {
      const { tokens, cost_cents } = event.data;
      const cached = tokens.cached > 0 ? ` (${thousands(tokens.cached)} cached)` : "";
      const cost = `$${usdFromCents(cost_cents).toFixed(4)}`;
      const used = [`${thousands(tokens.total)} tokens${cached}`, cost, ...took(event)].join(" | ");
      return `📥 LLM Response ← ${textIn(batch)} ${used}`;
    }
    case "tool_call":
      return `🔧 Tool Call → ${event.data.tool_name} ${clipped(jsonOf(event.data.arguments))}`;
    case "tool_result": {
      const { tool_name, success, result } = event.data;
      const outcome = success ? "✓" : `✗ ${clipped(jsonOf(result))}`;
      return [`🔧 Tool Result ← ${tool_name}: ${outcome}`, ...took(event)].join(" ");
    }
    case "artifact":
      return `📦 Artifact ← ${event.data.type} ${quoted(event.data.title)}`;
    case "knowledge":
      return `📚 Knowledge ← ${sourceName(event.data.source)}`;
    case "error":
      return `❗ Error ← ${summaryOf(event)}`;
    default:
      return `▫️ ${nameOf(event.type)} ${summaryOf(event)}`;
  }
}

/** Returns the text of the answer that was stored with its usage. */
function textIn(batch: readonly StoredEvent[]): string {
  const answer = batch.find((event) => event.type === "assistant_message");
  const text = answer?.type === "assistant_message" ? textOf(answer.data.content).trim() : "";
  return text === "" ? "(empty)" : quoted(text);
}

function took({ durationMs }: StoredEvent): string[] {
  if (durationMs === undefined || durationMs === null) return [];
  return [durationMs < 1_000 ? `${Math.round(durationMs)}ms` : `${(durationMs / 1_000).toFixed(1)}s`];
}

/** Turns `run_started` into `Run Started`. */
function nameOf(type: string): string {
  return type.replace(
    /(^|[._])(\w)/g,
    (_, before: string, letter: string) => `${before === "" ? "" : " "}${letter.toUpperCase()}`,
  );
}

function thousands(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}K`;
}

const LONGEST = 80;

function clipped(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`;
}

function quoted(text: string): string {
  return `"${clipped(text)}"`;
}

function jsonOf(value: Json): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
