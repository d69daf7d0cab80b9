import type { Json, JsonObject } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";

/** A message as a row of a list: its text, with its calls as metadata. */
export interface MessageRow {
  id: string;
  role: "user" | "assistant";
  /** The text without the calls. */
  content: string;
  metadata: { tool_calls?: { name: string; input: Json }[] };
}

/**
 * Converts the messages of a session's view to rows: the text as content, the calls as metadata. Texts over
 * 300 characters in a call's input, e.g. file contents, are replaced by their length.
 *
 * @example
 * ```ts
 * import { messageRows } from "@pawl/example-coach";
 *
 * const rows = messageRows([{ id: "1", role: "user", text: "Good morning", parts: [], seq: 1 }]);
 * console.log(rows); // [ { id: "1", role: "user", content: "Good morning", metadata: {} } ]
 * ```
 */
export function messageRows(messages: readonly ViewMessage[]): MessageRow[] {
  return messages.map(({ id, role, text, parts }) => {
    const calls = parts.filter((part): part is ViewPart & { type: "tool" } => part.type === "tool");
    const tool_calls = calls.map(({ toolName: name, arguments: input }) => ({
      name,
      input: shortened(input),
    }));
    return { id, role, content: text, metadata: tool_calls.length === 0 ? {} : { tool_calls } };
  });
}

/** The longest text of an input that a row keeps, in UTF-16 code units. */
const LONGEST = 300;

function shortened(input: Json): Json {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const fields = Object.entries(input as JsonObject).map(([name, value]) => {
    const isLong = typeof value === "string" && value.length > LONGEST;
    return [name, isLong ? `[${value.length} chars]` : value];
  });
  return Object.fromEntries(fields) as JsonObject;
}
