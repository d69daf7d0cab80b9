import { withoutHidden } from "../base/hidden-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { subschemaKind } from "./subschemas.ts";

/** Keywords of JSON Schema whose values are texts for people and models. */
const SCHEMA_TEXTS: readonly string[] = ["title", "description", "$comment"];

/** Keywords whose values are lists of such texts. */
const SCHEMA_LISTS: readonly string[] = ["enumNames"];

/** Keywords of JSON Schema whose values are data, which are not changed. */
const SCHEMA_DATA: readonly string[] = ["const", "enum", "default", "examples"];

/**
 * Returns a copy of another party's JSON Schema, without invisible characters in its titles, descriptions and
 * comments: see `withoutHidden()`. The copy accepts the same values.
 *
 * @example
 * ```ts
 * import { withoutHiddenIn } from "@pawl/core/tools";
 *
 * const schema = withoutHiddenIn({ type: "string", description: "A city\u200b." });
 * console.log(schema.description); // A city.
 * ```
 */
export function withoutHiddenIn<T extends Json>(schema: T): T {
  return withVisibleTexts(schema) as T;
}

const withoutHiddenMarks = (value: Json): Json => (typeof value === "string" ? withoutHidden(value) : value);

function withVisibleTexts(part: Json): Json {
  if (Array.isArray(part)) return part.map(withVisibleTexts);
  if (!isJsonObject(part)) return part;
  const entries = Object.entries(part).map(([keyword, value]): [string, Json] => {
    if (typeof value === "string" && SCHEMA_TEXTS.includes(keyword)) return [keyword, withoutHidden(value)];
    if (Array.isArray(value) && SCHEMA_LISTS.includes(keyword))
      return [keyword, value.map(withoutHiddenMarks)];
    if (subschemaKind(keyword) === "named" && isJsonObject(value))
      return [keyword, withParts(value, withVisibleTexts)];
    return [keyword, SCHEMA_DATA.includes(keyword) ? value : withVisibleTexts(value)];
  });
  return Object.fromEntries(entries);
}

/** Copies an object of named parts. A name is no keyword, though a field may be named e.g. `default`. */
function withParts(parts: JsonObject, change: (part: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
}
