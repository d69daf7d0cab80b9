import type { Json } from "@pawl/core";

/**
 * An event of ASP v2, as the dialect `asp()` of `@pawl/sse` sends it.
 *
 * - `ack`: the first event of every stream.
 * - `thinking` and `text`: the next piece of what the model writes.
 * - `tool`: the model calls a tool, with its whole input.
 * - `tool_input`: a hook has changed the input of a call, and shows the change to pages.
 * - `tool_result`: the result of a call. `is_error` is set if the call failed or was skipped. `skipped` is
 *   why the call was answered without being run, e.g. `closed` if a message closed its question.
 * - `message_stop`: the last event. `stop_reason` is `tool_use` if calls wait for the client's answers.
 *   Otherwise it is the model's stop reason, e.g. `end_turn`, or the run's, e.g. `aborted`.
 * - `error`: the last event of a stream whose run failed. `message` is for the user.
 */
export type AspEvent =
  | { type: "ack" }
  | { type: "thinking"; text: string }
  | { type: "text"; text: string }
  | { type: "tool"; tool_use_id: string; name: string; input: Json }
  | { type: "tool_input"; tool_use_id: string; input: Json }
  | { type: "tool_result"; tool_use_id: string; content: Json; is_error?: true; skipped?: string }
  | { type: "message_stop"; stop_reason: string }
  | { type: "error"; message: string };

type Fields = readonly [texts: readonly string[], values?: readonly string[]];

/** The fields that each event must have: those that must be strings, and those that may be any JSON. */
const FIELDS: ReadonlyMap<unknown, Fields> = new Map<AspEvent["type"], Fields>([
  ["ack", [[]]],
  ["thinking", [["text"]]],
  ["text", [["text"]]],
  ["tool", [["tool_use_id", "name"], ["input"]]],
  ["tool_input", [["tool_use_id"], ["input"]]],
  ["tool_result", [["tool_use_id"], ["content"]]],
  ["message_stop", [["stop_reason"]]],
  ["error", [["message"]]],
]);

/**
 * Parses the data of a server-sent event. Returns `undefined` for anything that is not an {@link AspEvent},
 * e.g. an event of a later version.
 *
 * @example
 * ```ts
 * import { parseAspEvent } from "@pawl/client/asp";
 *
 * console.log(parseAspEvent('{"type":"text","text":"Hello."}')); // { type: 'text', text: 'Hello.' }
 * console.log(parseAspEvent('{"type":"weather"}')); // undefined
 * ```
 */
export function parseAspEvent(data: string): AspEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return undefined;
  }
  const fields = new Map(Object.entries(Object(event)));
  const [texts, values = []] = FIELDS.get(fields.get("type")) ?? [];
  const isKnown = texts?.every((name) => typeof fields.get(name) === "string");
  return isKnown && values.every((name) => fields.has(name)) ? (event as AspEvent) : undefined;
}
