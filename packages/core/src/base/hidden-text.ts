import { isJsonObject, type Json } from "./json.ts";

// A negative lookahead for the characters to keep: joiners, and the variation selectors of emoji and
// Mongolian. Without them, some emoji and the words of some scripts look wrong.
const KEPT = "(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f|[\\u180b-\\u180d\\u180f])";

/** Matches a character that {@link withoutHidden} removes. */
const HIDDEN = /* @__PURE__ */ new RegExp(
  `${KEPT}[\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]|(?![\\t\\n\\r])\\p{Cc}`,
  "gu",
);

/**
 * Removes invisible characters from a text of another party. These are control characters (but not tabs and
 * line ends), marks that change the direction of text, and others such as tags (U+E0000 to U+E007F). They can
 * make a text look like another one, and hide words that a model reads.
 *
 * @example
 * ```ts
 * import { withoutHidden } from "@pawl/core/tools";
 *
 * console.log(withoutHidden("\u202egnp.exe")); // gnp.exe
 * ```
 */
export function withoutHidden(text: string): string {
  return text.replace(HIDDEN, "");
}

/** Keywords of JSON Schema whose values are texts for people and models. */
const SCHEMA_TEXTS: readonly string[] = ["title", "description", "$comment"];

/** Keywords whose values are lists of such texts. */
const SCHEMA_LISTS: readonly string[] = ["enumNames"];

/** Keywords of JSON Schema whose values are data, which are not changed. */
const SCHEMA_DATA: readonly string[] = ["const", "enum", "default", "examples"];

/**
 * Returns a copy of another party's JSON Schema, without invisible characters in its titles, descriptions and
 * comments: see {@link withoutHidden}. The copy accepts the same values.
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
    return [keyword, SCHEMA_DATA.includes(keyword) ? value : withVisibleTexts(value)];
  });
  return Object.fromEntries(entries);
}
