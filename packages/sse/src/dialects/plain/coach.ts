import {
  checkOptions,
  type Json,
  type JsonObject,
  type OptionKinds,
  type Question,
  type StoredOf,
} from "@pawl/core";
import type { Dialect, EncoderContext } from "../base/dialect.ts";
import type { Rest, Step } from "../base/telling.ts";
import {
  callsBefore,
  type LastWord,
  type PlainWords,
  plainEncoder,
  TEXT_MODE,
  type TextMode,
} from "./plain-encoder.ts";
import { parsePlain } from "./plain-request.ts";

/** Options of `coach()`. */
export interface CoachOptions {
  /** When text is sent: `live` while it is written, `settled` once the answer is stored. Default: `live`. */
  text?: TextMode;
}

const OPTIONS: OptionKinds<CoachOptions> = { text: TEXT_MODE };

/**
 * Returns the dialect for clients of the life coach. Each event has one of these fields: `text`, `error`,
 * `sessionCompleted`, `modeChange`, `arcCompleted`, `toolCall`, `roundBoundary`, `showPulseCheck` or
 * `showOptions`. `[DONE]` comes last.
 *
 * Only tools named `show_options` and `show_pulse_check` can ask the user. Any other question ends the stream
 * with an error.
 *
 * Requests are one of:
 *
 * - `{ sessionId?, message }`
 * - `{ sessionId?, messages }`, of which only the last message is read: the user's text, or `tool_result`
 *   blocks with answers
 * - `{ sessionId, toolResults: [{ toolUseId, result }] }`, with `error` instead of `result` for a tool that
 *   failed at the client
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { handler } from "@pawl/sse";
 * import { coach } from "@pawl/sse/dialects";
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
 *   dialect: coach(),
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
export function coach(options: CoachOptions = {}): Dialect {
  checkOptions("coach()", options, OPTIONS);
  const { text = "live" } = options;
  return {
    name: "coach",
    resume: "replay",
    threadField: "messages",
    parse: (body, limits) => parsePlain(body, FIELDS, limits),
    encoder: (context) => plainEncoder(context, coachWords(context, text)),
  };
}

const FIELDS = {
  session: "sessionId",
  answers: { field: "toolResults", call: "toolUseId", value: "result" },
  messages: "messages",
};

function coachWords(context: EncoderContext, text: TextMode): PlainWords {
  const asked = new Set(callsBefore(context).keys());
  const called = new Set<string>();
  let { mode } = context;
  const call = ({ call_id: id, tool_name: name }: { call_id: string; tool_name: string }): object[] => {
    if (called.has(id)) return [];
    called.add(id);
    return [{ toolCall: { id, name } }];
  };
  const changes = ({ data }: StoredOf<"tool_result">): object[] => {
    const left = mode;
    if (data.mode === undefined || data.mode === left) return [];
    mode = data.mode;
    if (mode !== null) return [{ modeChange: mode }];
    return left === null || left === undefined ? [] : [{ arcCompleted: left }];
  };
  const step = (one: Step): object[] => {
    switch (one.type) {
      case "piece":
        return [{ text: one.text }];
      case "turn":
        return one.turn > 1 ? [{ roundBoundary: true }] : [];
      case "started":
        return call(one.event.data);
      case "asked":
        // The question has a separate event. A `toolCall` event would show the call as work in progress.
        asked.add(one.question.callId);
        return question(one.question);
      case "result":
        // A call that only asked the user is not shown as work.
        return [...(asked.has(one.event.data.call_id) ? [] : call(one.event.data)), ...changes(one.event)];
      default:
        return [];
    }
  };
  return {
    step,
    last,
    between: (word) => [...lastWord(word), { roundBoundary: true }],
    lost: (error) => ({ error }),
    blocks: ["text"],
    text,
    sentinel: "data: [DONE]\n\n",
  };
}

function question({ toolName, callId: toolUseId, payload }: Question): object[] {
  if (toolName === "show_options") return [{ showOptions: { options: optionsOf(payload), toolUseId } }];
  return toolName === "show_pulse_check" ? [{ showPulseCheck: { context: payload, toolUseId } }] : [];
}

function optionsOf(payload: Json): Json {
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return (isObject ? (payload as JsonObject).options : payload) ?? [];
}

function last(rest: Rest | undefined, word: LastWord | undefined): object[] {
  if (rest?.type === "suspended") {
    const shown = rest.pending.some((pending) => question(pending).length > 0);
    return shown
      ? []
      : [{ error: "The coach has a question that this page cannot show. Please send a message instead." }];
  }
  if (rest === undefined) return [];
  const { stop, session_status } = rest.event.data;
  if (session_status === "error") return [{ error: stop.message }];
  return [...lastWord(word), ...(session_status === "completed" ? [{ sessionCompleted: true }] : [])];
}

function lastWord(word: LastWord | undefined): object[] {
  if (word === undefined) return [];
  if (word.corrects) return [{ error: word.text }];
  return [...(word.follows ? [{ roundBoundary: true }] : []), { text: word.text }];
}
