import { isJsonObject, type JsonObject, toJson } from "../base/json.ts";
import { type ContentBlock, type ContentBlockParam, isToolUse, type Message } from "./content.ts";

/** The field of a `tool_use` block with what a server wants back with the call. */
const OPAQUE = "opaque";

/**
 * Adds to a `tool_use` block further fields of the call that its server wants back unchanged, e.g. a
 * signature. They are stored with the id of the model, because other servers refuse requests that have them.
 * Returns the block unchanged without such fields.
 *
 * @example
 * ```ts
 * import { opaqueOf, withOpaque } from "@pawl/core/model";
 *
 * const call = { type: "tool_use", id: "call_1", name: "look", input: {} };
 * const block = withOpaque(call, "gemini-3-pro", { extra_content: { signature: "c2ln" } });
 * console.log(opaqueOf(block, "gemini-3-pro")); // { extra_content: { signature: 'c2ln' } }
 * console.log(opaqueOf(block, "gpt-5.4")); // {}
 * ```
 */
export function withOpaque(
  block: ContentBlockParam,
  model: string,
  fields: { readonly [name: string]: unknown },
): ContentBlock {
  if (Object.keys(fields).length === 0) return block as ContentBlock;
  return { ...block, [OPAQUE]: { model, fields: toJson(fields) } } as ContentBlock;
}

/**
 * Returns the fields that {@link withOpaque} has added for this model; `{}` by default.
 *
 * @example
 * ```ts
 * import { opaqueOf } from "@pawl/core/model";
 *
 * console.log(opaqueOf({ type: "tool_use", id: "1", name: "look", input: {} }, "gpt-5.4")); // {}
 * ```
 */
export function opaqueOf(block: ContentBlockParam, model: string): JsonObject {
  const opaque = block[OPAQUE];
  if (!isJsonObject(opaque) || opaque.model !== model || !isJsonObject(opaque.fields)) return {};
  return opaque.fields;
}

/**
 * Returns messages without the fields that {@link withOpaque} has added, for an API that refuses unknown
 * fields. A message without them stays the same object, and another one gets the same copy each time.
 *
 * @example
 * ```ts
 * import type { Message } from "@pawl/core";
 * import { withoutOpaque, withOpaque } from "@pawl/core/model";
 *
 * const call = { type: "tool_use", id: "call_1", name: "look", input: {} };
 * const messages: Message[] = [{ role: "assistant", content: [withOpaque(call, "m", { signature: "s" })] }];
 * console.log(withoutOpaque(messages)[0]?.content[0]?.opaque); // undefined
 * ```
 */
export function withoutOpaque(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role === "user" || !message.content.some(hasOpaque)) return message;
    const known = copies.get(message);
    if (known !== undefined) return known;
    const content = message.content.map((block) => {
      if (!hasOpaque(block)) return block;
      const { [OPAQUE]: _, ...rest } = block;
      return rest as ContentBlock;
    });
    const copy = Object.isFrozen(message) ? Object.freeze({ ...message, content }) : { ...message, content };
    copies.set(message, copy);
    return copy;
  });
}

const copies = new WeakMap<Message, Message>();

function hasOpaque(block: ContentBlockParam): boolean {
  return isToolUse(block) && block[OPAQUE] !== undefined;
}
