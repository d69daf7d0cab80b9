import type { Json } from "@pawl/core";

/**
 * An event of ASP v2, as the dialect `asp()` of `@pawl/sse` sends it.
 *
 * - `ack`: the first event of every stream.
 * - `thinking` and `text`: the next piece of what the model writes.
 * - `tool`: the model calls a tool, with its whole input.
 * - `tool_result`: the result of a call. `is_error` is set if the call failed, or was closed without an
 *   answer.
 * - `message_stop`: the last event. `stop_reason` is `tool_use` if calls wait for the client's answers.
 *   Otherwise it is the model's stop reason, e.g. `end_turn`, or the run's, e.g. `aborted`.
 * - `error`: the last event of a stream whose run failed. `message` is for the user.
 */
export type AspEvent =
  | { type: "ack" }
  | { type: "thinking"; text: string }
  | { type: "text"; text: string }
  | { type: "tool"; tool_use_id: string; name: string; input: Json }
  | { type: "tool_result"; tool_use_id: string; content: Json; is_error?: true }
  | { type: "message_stop"; stop_reason: string }
  | { type: "error"; message: string };

/** The fields of each event that must be strings. */
const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map<AspEvent["type"], readonly string[]>([
  ["ack", []],
  ["thinking", ["text"]],
  ["text", ["text"]],
  ["tool", ["tool_use_id", "name"]],
  ["tool_result", ["tool_use_id"]],
  ["message_stop", ["stop_reason"]],
  ["error", ["message"]],
]);

/** The fields that may be any JSON. */
const VALUES: ReadonlyMap<unknown, string> = new Map([
  ["tool", "input"],
  ["tool_result", "content"],
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
  const type = fields.get("type");
  const texts = TEXTS.get(type);
  const value = VALUES.get(type);
  if (texts === undefined || !texts.every((name) => typeof fields.get(name) === "string")) return undefined;
  return value === undefined || fields.has(value) ? (event as AspEvent) : undefined;
}
