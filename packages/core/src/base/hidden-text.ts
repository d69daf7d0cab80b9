import { isJsonObject, type Json } from "./json.ts";

// Kept are joiners, and the variation selectors of emoji and Mongolian: without them, words and emoji of some
// scripts fall apart.
const KEPT = "(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f|[\\u180b-\\u180d\\u180f])";

const HIDDEN = /* @__PURE__ */ new RegExp(
  `${KEPT}[\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]|(?![\\t\\n\\r])\\p{Cc}`,
  "gu",
);

/**
 * Removes characters that do not show, from a text of somebody else: controls except tabs and line ends,
 * marks that change the direction of text, and invisible characters such as tags (U+E0000 to U+E007F). They
 * can make a text look like another one, and hide words that a model reads.
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

/** Keywords of JSON Schema with texts for people and models, and those with data. */
const SCHEMA_WORDS: readonly string[] = ["title", "description", "$comment"];
const SCHEMA_DATA: readonly string[] = ["const", "enum", "default", "examples"];

/**
 * Returns a JSON Schema of somebody else without hidden characters in its titles and descriptions, see
 * {@link withoutHidden}. What it accepts stays the same.
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
  return withShownWords(schema) as T;
}

function withShownWords(part: Json): Json {
  if (Array.isArray(part)) return part.map(withShownWords);
  if (!isJsonObject(part)) return part;
  const entries = Object.entries(part).map(([keyword, value]): [string, Json] => {
    if (typeof value === "string" && SCHEMA_WORDS.includes(keyword)) return [keyword, withoutHidden(value)];
    return [keyword, SCHEMA_DATA.includes(keyword) ? value : withShownWords(value)];
  });
  return Object.fromEntries(entries);
}
