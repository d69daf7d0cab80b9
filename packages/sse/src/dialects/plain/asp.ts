import { checkOptions, type OptionKinds, type StoredOf } from "@pawl/core";
import { isFailedCall } from "../base/answers.ts";
import type { Dialect } from "../base/dialect.ts";
import type { Rest, Step } from "../base/telling.ts";
import {
  type LastWord,
  type PlainWords,
  paragraphOf,
  plainEncoder,
  TEXT_MODE,
  type TextMode,
} from "./plain-encoder.ts";
import { parsePlain } from "./plain-request.ts";

/** Options of `asp()`. */
export interface AspOptions {
  /**
   * When text and thinking are sent: `live` while they are written, `settled` once the answer is stored.
   * Default: `live`.
   */
  text?: TextMode;
}

const OPTIONS: OptionKinds<AspOptions> = { text: TEXT_MODE };

/**
 * Returns the dialect for clients of ASP v2, the protocol of an existing application. Sends `ack` first, then
 * `thinking`, `text`, `tool` (with its whole input) and `tool_result`, and one `message_stop` or `error` at
 * the end.
 *
 * Two extensions of the protocol say what hooks decide, and other clients may ignore them:
 *
 * - `tool_input` with `tool_use_id` and `input`: a hook has changed the call's input, and shows it to pages
 * - `skipped` of a `tool_result`: why the call was answered without being run
 *
 * Requests are one of:
 *
 * - `{ session_id?, message }`
 * - `{ session_id, tool_results: [{ tool_use_id, content }] }` to answer calls that wait for the client. Add
 *   `is_error: true` if a call failed there. The stream that asked for the answers ended with `stop_reason:
 *   "tool_use"`.
 * - `{ session_id, retry: "<run id>" }` to run the last message again, after its run failed, was stopped or
 *   was interrupted.
 *
 * A message that is sent again with the same `client_message_id` counts once. `createAspClient()` of
 * `@pawl/client/asp` is a client for this dialect.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { asp } from "@pawl/sse/dialects";
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
 *   dialect: asp(),
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
export function asp(options: AspOptions = {}): Dialect {
  checkOptions("asp()", options, OPTIONS);
  const { text = "live" } = options;
  return {
    name: "ASP v2",
    resume: "replay",
    parse: (body, limits) => parsePlain(body, FIELDS, limits),
    encoder: (context) => plainEncoder(context, aspWords(text)),
  };
}

const FIELDS = {
  session: "session_id",
  retry: "retry",
  answers: { field: "tool_results", call: "tool_use_id", value: "content" },
};

function aspWords(text: TextMode): PlainWords {
  let stopReason: string | null = null;
  const step = (one: Step): object[] => {
    switch (one.type) {
      case "piece":
        return [{ type: one.kind, text: one.text }];
      case "call": {
        const { call_id: tool_use_id, tool_name: name, arguments: input } = one.event.data;
        return [{ type: "tool", tool_use_id, name, input }];
      }
      case "edited":
        return [{ type: "tool_input", tool_use_id: one.callId, input: one.input }];
      case "result":
        return [toolResult(one.event)];
      case "other":
        // Attempt 0 is a summary, which is not a part of the answer.
        if (one.event.type === "llm_response" && one.event.data.attempt !== 0) {
          stopReason = one.event.data.raw_response.stop_reason;
        }
        return [];
      default:
        return [];
    }
  };
  const last = (rest: Rest | undefined, word: LastWord | undefined): object[] => {
    if (rest?.type === "suspended") return [{ type: "message_stop", stop_reason: "tool_use" }];
    if (rest === undefined) return [{ type: "message_stop", stop_reason: "end_turn" }];
    const { stop, session_status } = rest.event.data;
    if (session_status === "error") return [{ type: "error", message: stop.message }];
    const ended = stop.type === "end_turn" ? (stopReason ?? stop.type) : stop.type;
    const stopped = { type: "message_stop", stop_reason: ended };
    if (word === undefined) return [stopped];
    if (word.corrects) return [{ type: "error", message: word.text }];
    return [{ type: "text", text: paragraphOf(word) }, stopped];
  };
  return {
    first: [{ type: "ack" }],
    step,
    last,
    between: (word) => [{ type: "text", text: `${paragraphOf(word)}\n\n` }],
    lost: (message) => ({ type: "error", message }),
    blocks: ["text", "thinking"],
    text,
  };
}

function toolResult({ data }: StoredOf<"tool_result">): object {
  const { call_id: tool_use_id, result: content, skipped } = data;
  const failed = isFailedCall(data) && { is_error: true };
  return { type: "tool_result", tool_use_id, content, ...failed, ...(skipped !== undefined && { skipped }) };
}
