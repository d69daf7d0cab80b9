import { checkOptions, type Json, type JsonObject, type OptionKinds, type StoredOf } from "@pawl/core";
import { isFailedCall } from "../base/answers.ts";
import type { Dialect, EncoderContext } from "../base/dialect.ts";
import type { Rest, Step } from "../base/telling.ts";
import { callsBefore, type LastWord, type PlainWords, plainEncoder } from "./plain-encoder.ts";
import { parsePlain } from "./plain-request.ts";

/** Options of `trainer()`. */
export interface TrainerOptions {
  /** The names that users read for sources of knowledge, keyed by source. Default: the source's own name. */
  sources?: { readonly [source: string]: string };
}

const OPTIONS: OptionKinds<TrainerOptions> = { sources: "object" };

/**
 * Returns the dialect for clients of the trainer, an agent that speaks only through its tools. The model's
 * text is not sent. The events are `status`, `knowledge`, `done` and `error`. Each tool also has an event
 * under its own name, sent when it starts and when it ends. So no tool may have one of those four names.
 *
 * Requests are `{ sessionId?, message }`, or `{ sessionId, answers: [{ callId, value }] }`, with `error`
 * instead of `value` for a tool that failed at the client.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { trainer } from "@pawl/sse/dialects";
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
 *   dialect: trainer({ sources: { workouts: "Your workouts" } }),
 * });
 *
 * const body = JSON.stringify({ message: "Hi" });
 * const headers = { "content-type": "application/json" };
 * const response = await serve(
 *   new Request("http://localhost/runs", { method: "POST", headers, body }),
 * );
 * console.log((await response.text()).includes("done")); // true
 * ```
 */
export function trainer(options: TrainerOptions = {}): Dialect {
  checkOptions("trainer()", options, OPTIONS);
  const { sources = {} } = options;
  return {
    name: "trainer",
    resume: "replay",
    reserved: ["status", "knowledge", "done", "error"],
    parse: (body, limits) => parsePlain(body, FIELDS, limits),
    encoder: (context) => plainEncoder(context, trainerWords(context, sources)),
  };
}

const FIELDS = { session: "sessionId", answers: { field: "answers", call: "callId", value: "value" } };

function trainerWords(context: EncoderContext, sources: { readonly [source: string]: string }): PlainWords {
  const calls = callsBefore(context);
  const artifacts = new Map<string, object>();
  const running = (type: string, args: Json): object => ({ type, data: { status: "running", args } });
  const step = (one: Step): object[] => {
    switch (one.type) {
      case "call":
        calls.set(one.event.data.call_id, one.event.data.arguments);
        return [];
      case "edited":
        calls.set(one.callId, one.input);
        return [];
      case "started": {
        const { tool_name, call_id } = one.event.data;
        return [...status(one.event), running(tool_name, calls.get(call_id) ?? {})];
      }
      case "asked":
        return [running(one.question.toolName, one.question.payload)];
      case "result":
        return [...status(one.event), result(one.event, artifacts)];
      case "other":
        return other(one.event);
      default:
        return [];
    }
  };
  const other = (event: (Step & { type: "other" })["event"]): object[] => {
    if (event.type === "artifact") artifacts.set(event.data.artifact_id, event.data);
    if (event.type !== "knowledge") return [];
    const { source } = event.data;
    const displayName = Object.hasOwn(sources, source) ? sources[source] : source;
    return [{ type: "knowledge", data: { source, displayName, status: "done" } }];
  };
  const last = (rest: Rest | undefined, word: LastWord | undefined): object[] => {
    // The dialect has only one event for Pawl's own texts: `error`. A user who stopped the run needs no
    // explanation.
    const isStop = rest?.type === "ended" && rest.event.data.stop.type === "aborted";
    if (word !== undefined && !isStop) return [{ type: "error", message: word.text }];
    const failed = rest?.type === "ended" && rest.event.data.session_status === "error";
    if (failed) return [{ type: "error", message: rest.event.data.stop.message }];
    return [{ type: "done", sessionId: context.sessionId }];
  };
  return { step, last, lost: (message) => ({ type: "error", message }), blocks: [], text: "settled" };
}

function status(event: StoredOf<"tool_started" | "tool_result">): object[] {
  const { tool_name: tool, status: message } = event.data;
  if (message === undefined) return [];
  return [{ type: "status", data: { message, tool, phase: phaseAfter(event) } }];
}

function phaseAfter({ type, data }: StoredOf<"tool_started" | "tool_result">): "start" | "done" | "error" {
  if (type === "tool_started") return "start";
  return isFailedCall(data) ? "error" : "done";
}

/** Encodes a tool's result, with the artifact that the result names. */
function result({ data }: StoredOf<"tool_result">, artifacts: ReadonlyMap<string, object>): object {
  const { tool_name: type, result: value, content } = data;
  const fields = asObject(value);
  const { artifact_id: name } = fields;
  const artifact = fields.artifact ?? (typeof name === "string" ? artifacts.get(name) : undefined);
  return {
    type,
    data: value,
    formatted: typeof content === "string" ? content : textOf(value),
    status: isFailedCall(data) ? "failed" : "done",
    ...(artifact !== undefined && { artifact }),
    ...(typeof name === "string" && { artifact_id: name }),
  };
}

function asObject(value: Json): JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
