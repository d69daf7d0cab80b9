const IGNORABLE = "\\p{Default_Ignorable_Code_Point}";
const PICTURE = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]";

// Some words and emoji look wrong without joiners and variation selectors. So one of them is kept behind a
// character that it may change. Elsewhere it changes nothing, and a row of them could be a hidden message.
const KEPT: readonly string[] = [
  `(?<=(?!${IGNORABLE})[\\p{Lo}\\p{M}]|${PICTURE}\\ufe0f?)[\\u200c\\u200d]`,
  `(?<=${PICTURE})[\\ufe0e\\ufe0f]`,
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
  `(?<=(?!${IGNORABLE})\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]`,
];

/** Matches a character that {@link withoutHidden} removes. */
const HIDDEN = /* @__PURE__ */ new RegExp(
  `(?!${KEPT.join("|")})[\\p{Bidi_Control}${IGNORABLE}\\ufff9-\\ufffb]|(?![\\t\\n\\r])\\p{Cc}`,
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
