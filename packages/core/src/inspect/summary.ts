import type { Json } from "../base/json.ts";
import { usdFromCents } from "../base/usd.ts";
import { type ByType, callByType, type StoredEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { referenceOf } from "../log/store/blob-reference.ts";
import type { TokenUsage } from "../log/tokens.ts";
import { isText, isToolUse } from "../model/content.ts";
import { reasonText, WHY_LEFT, WHY_REFUSED } from "./reasons.ts";
import { countOf, joined, quantity, quotedText, shortText } from "./short-text.ts";

/**
 * Returns a summary of an event in a few words, on one line.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@pawl/core";
 * import { summaryOf } from "@pawl/core/inspect";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
 * await store.append("s1", [{ type: "user_message", data: { message: "Hi" } }], { appendId: "a1" });
 * for await (const event of store.read("s1")) console.log(event.type, summaryOf(event)); // user_message “Hi”
 * ```
 */
export function summaryOf(event: StoredEvent): string {
  const large = referenceOf(event.data);
  if (large !== undefined) return `${countOf(large.bytes)} bytes, in a blob`;
  // An event of the application's own.
  if (event.type.includes(".")) return shortText((event.data as Json) ?? "");
  return callByType(SUMMARIES, event, event) ?? "";
}

/** For each event type, the function that summarizes its payload. */
const SUMMARIES: Required<ByType<string, StoredEvent>> = {
  user_message: ({ message, files = [] }) =>
    joined(
      message === "" ? undefined : quotedText(message),
      files.length === 0 ? undefined : quantity(files.length, "file"),
    ),
  assistant_message: ({ content, disposition }) => {
    const calls = content.filter(isToolUse).length;
    const text = content.find(isText)?.text;
    return joined(
      disposition === "kept" ? undefined : disposition,
      typeof text === "string" ? quotedText(text) : undefined,
      calls === 0 ? undefined : quantity(calls, "call"),
    );
  },
  // With `landing`, the next turn is the run's last one.
  note: ({ text, tag, landing }) =>
    joined(tag, quotedText(text), landing && `last turn, ${reasonText(landing)}`),
  // A public log leaves out the problem.
  output: ({ value, problem, reminder }) =>
    value === undefined
      ? joined("refused", problem ? quotedText(problem) : undefined, reminder && "the model answers again")
      : shortText(value),
  // A public log leaves out its content.
  knowledge: ({ source, tag, data }) => joined(tag, source, data === "" ? undefined : quotedText(data)),
  artifact: ({ type, title }) => joined(type, quotedText(title)),
  data_part: ({ type, id, data }) => joined(type, id, shortText(data)),
  // A public log has neither `system` nor the number of tools.
  prefix: ({ system, tools }) =>
    system.length === 0
      ? "system prompt and tools"
      : `system prompt and ${quantity(tools.length, "tool")}, as they are sent`,
  llm_request: ({ turn, role, model, estimated_tokens, params, limited_by }) =>
    joined(
      `turn ${turn}`,
      role && `role ${role}`,
      model,
      `about ${countOf(estimated_tokens)} tokens`,
      `max_tokens ${countOf(params.max_tokens)}`,
      limited_by && `limited_by ${limited_by}`,
    ),
  llm_response: ({ raw_response, tokens, cost_cents }, event) =>
    joined(raw_response.stop_reason, usage(tokens), money(cost_cents), durationText(event)),
  spending: ({ by, model, tokens, cost_cents }) => joined(by, model, usage(tokens), money(cost_cents)),
  error: ({ code, message }) => shortText(`${code}: ${message}`),
  tool_call: (data) => joined(callId(data), `${data.tool_name}(${shortText(data.arguments)})`),
  task_started: ({ by, agent, key }) => joined(by, agent, quotedText(key)),
  tool_started: (data) =>
    joined(callId(data), data.tool_name, data.agent && `agent ${data.agent}`, inputWords(data), data.status),
  tool_suspended: (data) =>
    joined(
      callId(data),
      `${data.tool_name} ${data.hidden ? "waits" : "asks and waits"}${timeLimitText(data)}`,
      inputWords(data),
    ),
  tool_answered: (data) => joined(callId(data), answerSummary(data)),
  tool_result: (data, event) =>
    joined(
      callId(data),
      data.tool_name,
      data.report?.connector,
      outcomeWords(data),
      data.report?.fragments && quantity(data.report.fragments.length, "fragment"),
      shortText(data.report?.summary ?? data.result),
      data.spent && money(data.spent.cost_cents),
      durationText(event),
    ),
  run_started: (data) =>
    joined(
      runId(data),
      `${data.agent}, version ${data.agent_version}`,
      data.given_away && "left to the engine",
    ),
  run_suspended: ({ pending, wake_at }) =>
    joined(
      pending.length === 0
        ? undefined
        : `waits for ${pending.length === 1 ? "an answer" : `${pending.length} answers`}`,
      wake_at && `wakes at ${wake_at}`,
    ),
  run_left: ({ reason }) => WHY_LEFT[reason],
  run_recovered: () => "resumed by another process",
  agent_changed: ({ from, to, tools }) =>
    joined(
      from === to ? `version ${to}` : `version ${from} to ${to}`,
      ...tools.removed.map((name) => `${name} removed`),
      ...tools.changed.map((name) => `${name} changed`),
    ),
  run_ended: (data) =>
    joined(
      runId(data),
      reasonText(data.stop),
      quantity(data.turns, "turn"),
      usage(data.tokens),
      money(data.cost_cents),
    ),
  checkpoint: ({ reason, from_seq, refused }) =>
    refused === undefined
      ? `${reason}, from event ${from_seq} on`
      : `${WHY_REFUSED[refused.by]}: ${quantity(refused.events.length, "event")} changed${reason === "start" ? `, starts at event ${from_seq}` : ""}`,
  redaction: ({ seq }) => `redacts event ${seq}`,
  effect_started: ({ name }) => name,
  effect_ended: ({ name }) => name,
  stop_requested: ({ interrupt }) => (interrupt ? "the user wrote something else" : "a stop was requested"),
};

/** Returns the last eight characters of a call's id: a provider's ids all begin with the same characters. */
function callId({ call_id }: { call_id: string }): string {
  return `call ${call_id.slice(-8)}`;
}

/** Returns the first eight characters of a run's id, as event lines do for a session's id. */
function runId({ run_id }: { run_id: string }): string {
  return `run ${run_id.slice(0, 8)}`;
}

/**
 * Returns when a question or a wait ends, e.g. ` for 5000 ms` or ` until <time>`; an empty text without end.
 */
function timeLimitText({ expires }: EventData["tool_suspended"]): string {
  if (expires === undefined) return "";
  return expires.at === undefined ? ` for ${expires.after_ms} ms` : ` until ${expires.at}`;
}

function answerSummary({ value, error, closed, expired, hidden }: EventData["tool_answered"]): string {
  if (expired) return hidden ? "the time has come" : `nobody has answered in time: ${shortText(value)}`;
  if (closed !== undefined) return `closed: ${closed}`;
  return error === undefined ? shortText(value) : `failed: ${shortText(error)}`;
}

/** Formats token counts, e.g. `1,200 in (900 cached), 50 out`. */
function usage({ prompt, cached, cache_write, completion }: TokenUsage): string {
  const cachedNote = cached === 0 ? "" : ` (${countOf(cached)} cached)`;
  return `${countOf(prompt + cached + cache_write)} in${cachedNote}, ${countOf(completion)} out`;
}

/** Formats a cost in US dollars. Returns `undefined` for 0, e.g. if the model has no prices. */
function money(cents: number): string | undefined {
  return cents > 0 ? `$${usdFromCents(cents).toFixed(4)}` : undefined;
}

type InputWords = Pick<EventData["tool_started"], "input" | "input_for">;

/** Returns the input with which a call runs or asks, if a hook has changed it. A hook may hide it. */
function inputWords({ input, input_for }: InputWords): string | undefined {
  if (input === undefined) return undefined;
  return input_for === "nobody" ? "input changed" : `input changed to ${shortText(input)}`;
}

/** Returns how a call has ended, unless it has succeeded. */
function outcomeWords({ success, skipped, report }: EventData["tool_result"]): string | undefined {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  return success ? undefined : ["failed", report?.code].filter(Boolean).join(" ");
}

function durationText({ durationMs }: StoredEvent): string | undefined {
  if (durationMs === undefined) return undefined;
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}
