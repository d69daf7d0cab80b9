import { checkOptions, type Json, type OptionKinds, type StoredOf, usdFromCents } from "@pawl/core";
import type { Dialect, EncoderContext } from "../base/dialect.ts";
import type { Rest, Step } from "../base/telling.ts";
import {
  callsBefore,
  type LastWord,
  type PlainWords,
  paragraphOf,
  plainEncoder,
  TEXT_MODE,
  type TextMode,
} from "./plain-encoder.ts";
import { parsePlain } from "./plain-request.ts";

/** Options of `metrics()`. */
export interface MetricsOptions {
  /** When text is sent: `live` while it is written, `settled` once the answer is stored. Default: `live`. */
  text?: TextMode;
  /** The type of the events in which your tools store plans. Default: `planning.plan`. */
  plan?: string;
  /** The type of the events in which your tools store reviews. Default: `planning.review`. */
  review?: string;
}

const OPTIONS: OptionKinds<MetricsOptions> = { text: TEXT_MODE, plan: "string", review: "string" };

/**
 * Returns the dialect for clients of an existing enterprise search, which show how an answer was made.
 *
 * - `text`: a piece of the answer
 * - `metric`: a call with its tool, input, start, duration and result, and what the tool has reported with
 *   `context.report()`. What the tool has not reported is absent (`estimatedCostUsd`, `fragmentsAdded` and
 *   the error's `code`) or `null` (`connectorId`).
 * - `plan`, `review`: sent whenever they change
 * - `clarification`: a question to the user
 * - `done` or `error`: the last event
 *
 * Requests are `{ sessionId?, message }`, or `{ sessionId, answers: [{ callId, value }] }`. The user comes
 * from `authorize`; a user in the body is ignored.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { metrics } from "@pawl/sse/dialects";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const serve = handler({
 *   runtime: runtime({ agents: [greeter], store: memoryStore() }),
 *   agent: "greeter",
 *   authorize: () => ({ userId: "ada" }),
 *   dialect: metrics(),
 * });
 *
 * const body = JSON.stringify({ message: "Hi" });
 * const headers = { "content-type": "application/json" };
 * const response = await serve(
 *   new Request("http://localhost/runs", { method: "POST", headers, body }),
 * );
 * console.log((await response.text()).includes("Hello.")); // true
 * ```
 */
export function metrics(options: MetricsOptions = {}): Dialect {
  checkOptions("metrics()", options, OPTIONS);
  return {
    name: "metrics",
    resume: "replay",
    parse: (body, limits) => parsePlain(body, FIELDS, limits),
    encoder: (context) => plainEncoder(context, metricsWords(options, context)),
  };
}

const FIELDS = { session: "sessionId", answers: { field: "answers", call: "callId", value: "value" } };

function metricsWords(
  { text = "live", plan = "planning.plan", review = "planning.review" }: MetricsOptions,
  context: EncoderContext,
): PlainWords {
  const inputs = callsBefore(context);
  const starts = new Map<string, string>();
  const step = (one: Step): object[] => {
    switch (one.type) {
      case "piece":
        return [{ type: "text", text: one.text }];
      case "call":
        inputs.set(one.event.data.call_id, one.event.data.arguments);
        return [];
      case "started":
        starts.set(one.event.data.call_id, one.event.at);
        return [];
      case "edited":
        inputs.set(one.callId, one.input);
        return [];
      case "asked": {
        const { callId, toolName, kind, payload, answerSchema } = one.question;
        return [{ type: "clarification", callId, toolName, kind, payload, answerSchema }];
      }
      case "result": {
        const { call_id } = one.event.data;
        const startedAt = starts.get(call_id) ?? one.event.at;
        const known = { arguments: inputs.get(call_id) ?? {}, startedAt, agentName: context.agent };
        return [{ type: "metric", ...record(one.event, known) }];
      }
      case "other":
        // A redacted event of an extension has no data.
        if (Object.keys(Object(one.event.data)).length === 0) return [];
        if (one.event.type === plan) return [{ type: "plan", plan: one.event.data }];
        return one.event.type === review ? [{ type: "review", review: one.event.data }] : [];
      default:
        return [];
    }
  };
  const last = (rest: Rest | undefined, word: LastWord | undefined): object[] => {
    const done = { type: "done", sessionId: context.sessionId };
    if (rest?.type !== "ended") return [done];
    const { stop, session_status } = rest.event.data;
    if (session_status !== "error" && word?.corrects !== true) {
      return [...(word === undefined ? [] : [{ type: "text", text: paragraphOf(word) }]), done];
    }
    return [{ type: "error", code: stop.type, message: stop.message }];
  };
  const lost = (message: string, code = "restarted") => ({ type: "error", code, message });
  const between = (word: LastWord) => [{ type: "text", text: `${paragraphOf(word)}\n\n` }];
  return { step, last, between, lost, blocks: ["text"], text };
}

/** The maximum length of a `resultSummary` that is cut from the result, in UTF-16 code units. */
const SUMMARY_CHARS = 200;

interface KnownCall {
  arguments: Json;
  startedAt: string;
  agentName: string;
}

function record({ durationMs = 0, data }: StoredOf<"tool_result">, known: KnownCall): object {
  const { tool_name: toolName, call_id: callId, result, success, skipped, spent, report = {} } = data;
  const { connector, fragments, summary, code } = report;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return {
    toolName,
    callId,
    connectorId: connector ?? null,
    ...known,
    durationMs,
    ...(spent !== undefined && { estimatedCostUsd: usdFromCents(spent.cost_cents) }),
    resultSummary: summary ?? text.slice(0, SUMMARY_CHARS).toWellFormed(),
    ...(fragments !== undefined && { fragmentsAdded: fragments }),
    status: skipped !== undefined ? "skipped" : success ? "success" : "error",
    ...(!success && { error: { ...(code !== undefined && { code }), message: text } }),
  };
}
