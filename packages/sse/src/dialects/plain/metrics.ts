import { type Json, type StoredOf, usdFromCents } from "@pawl/core";
import type { Dialect, EncoderContext } from "../base/dialect.ts";
import type { Rest, Step } from "../base/telling.ts";
import {
  callsBefore,
  type LastWord,
  type PlainWords,
  paragraphOf,
  plainEncoder,
  type TextMode,
} from "./plain-encoder.ts";
import { parsePlain } from "./plain-request.ts";

/** Options of `metrics()`. */
export interface MetricsOptions {
  /** See {@link TextMode}. Default: `live`. */
  text?: TextMode;
  /** Type of the log's events that hold plans. Default: `planning.plan`. */
  plan?: string;
  /** Type of the log's events that hold reviews. Default: `planning.review`. */
  review?: string;
}

/**
 * Answers with a record of how they were made, the protocol of an existing enterprise search. Sends `text`, a
 * `metric` for each call (tool, input, start, duration, cost, result), `plan` and `review` whenever they
 * change, a `clarification` for each question, and one `done` or `error` at the end.
 *
 * Requests are `{ sessionId?, message }`, or `{ sessionId, answers: [{ callId, value }] }`. The user and the
 * workspace come from `authorize` alone.
 */
export function metrics(options: MetricsOptions = {}): Dialect {
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
  const lost = (message: string) => ({ type: "error", code: "restarted", message });
  return { step, last, lost, blocks: ["text"], text };
}

/** How many UTF-16 code units of a result are sent. */
const SUMMARY_CHARS = 200;

interface KnownCall {
  arguments: Json;
  startedAt: string;
  agentName: string;
}

function record({ durationMs = 0, data }: StoredOf<"tool_result">, known: KnownCall): object {
  const { tool_name: toolName, call_id: callId, result, success, skipped, spent } = data;
  const told = typeof result === "string" ? result : JSON.stringify(result);
  return {
    toolName,
    callId,
    connectorId: null,
    ...known,
    durationMs,
    estimatedCostUsd: usdFromCents(spent?.cost_cents ?? 0),
    resultSummary: told.slice(0, SUMMARY_CHARS).toWellFormed(),
    fragmentsAdded: [],
    status: skipped !== undefined ? "skipped" : success ? "success" : "error",
    ...(!success && { error: { code: "tool_failed", message: told } }),
  };
}
