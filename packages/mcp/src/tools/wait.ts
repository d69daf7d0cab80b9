import { type JsonObject, jsonSchema, type ToolContext } from "@pawl/core";

/** The kind of the question by which a call waits for a time instead of a user. */
export const WAITING = "mcp.task";

/**
 * Lets go of a call until a time, in milliseconds since 1970. The run is suspended meanwhile and needs no
 * process. Then any process calls the tool again, with `state` in `context.answered`.
 */
export function waitUntil<Deps>(
  context: ToolContext<Deps>,
  _at: number,
  { payload, state }: { payload: JsonObject; state: JsonObject },
): never {
  return context.ask({ kind: WAITING, payload, answer: jsonSchema({ type: "null" }), state });
}
