/**
 * Markdown that does nothing but show words, in whatever reads it: a renderer that passes HTML through, GitHub, or Obsidian with its
 * plugins. Raw HTML and templates stay readable as text (`&lt;script>`), images become links so that nothing is fetched, and a link to
 * `javascript:` or the like leads nowhere. Prose, lists, tables, emphasis and links to the web stay as they are. Applying it again
 * changes nothing.
 */
export function harmlessMarkdown(text: string): string {
  const plain = text.toWellFormed().replace(UNSEEN, "");
  return withoutPlugins(withSafeTargets(withoutHtml(plain)));
}

/** A value of front matter in which every text is harmless. */
export function harmlessValue(value: unknown): unknown {
  if (typeof value === "string") return harmlessMarkdown(value);
  if (Array.isArray(value)) return value.map(harmlessValue);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, part]) => [harmlessMarkdown(name), harmlessValue(part)]));
}

/** Control characters but for tabs and line breaks: some readers drop them, and what was apart grows together. */
const UNSEEN = /(?![\t\n\r])\p{Cc}/gu;

/** A bare address is a link as well, and cannot be mistaken for an element with attributes. */
const AUTOLINK = /(\w?)<(https?:\/\/[^\s<>"'`]*|(?:mailto:)?[a-z][\w.+-]*@[\w.-]+)>(?=(\w?))/gi;

/** The `<` of a tag, a comment, a declaration or a template. */
const TAG = /<(?=[a-z/!?%])/gi;

function withoutHtml(text: string): string {
  const bare = (_: string, before: string, address: string, after: string): string =>
    `${before}${before && " "}${address}${after && " "}`;
  return text.replace(AUTOLINK, bare).replace(TAG, "&lt;");
}

/** A place on the web, a mail address, or a place among the files. What has another scheme, or may hide one, is not. */
const SAFE_TARGET = /^(?:https?:\/\/|mailto:|[^:&\\]*(?:[/?#]|$))/i;

// Browsers ignore tabs and line breaks within a scheme, so these do not end a target here.
function withSafeTargets(text: string): string {
  const safe = (_: string, before: string, target: string): string =>
    `${before}${SAFE_TARGET.test(target) ? target : "#"}`;
  return text
    .replace(/(\]\([\s<>]*)([^ )\]>]*)/g, safe)
    .replace(/(\]:[\s<>]*)([^ \r\n\]>]*)/g, safe)
    .replace(/!(?=\[)/g, "! ");
}

/** Languages that readers colour. Blocks of others may be programs to a plugin (`dataviewjs`, `mermaid`). */
const LANGUAGES =
  "bash|c|cpp|cs|csharp|css|csv|diff|go|ini|java|javascript|js|json|jsx|kotlin|markdown|md|php|py|python|rb|rs|ruby|rust|sh|" +
  "shell|sql|swift|text|toml|ts|tsx|txt|typescript|yaml|yml|zsh";
const OTHER_BLOCK = new RegExp(
  // A line of backticks with another one behind is code within the line.
  `(?<!\`)(\`{3,}(?=[^\`\\n]*$)|(?<!~)~{3,})([ \\t]*)(?=[^\\s~])(?!(?:${LANGUAGES})[ \\t\\r]*$|text )`,
  "gim",
);

/** Code that Dataview runs in its place: `$= …` and `= …`. */
const INLINE_QUERY = /(?<!`)(`+\s*)(?=\$=|=\s*[^\s=>`])/g;

/** Commands of formulas that link, load, or set attributes. Doubled, the backslash of one shows the same words. */
const FORMULA =
  /(?<!\\)((?:\\\\)*)\\(?=(?:href|url|includegraphics|html\w*|require|class|cssId|style|data|csname)\b)/g;

/** The app's own addresses: a click could run its commands. */
const APP_LINK = /\bobsidian:(?=\/\/)/gi;

function withoutPlugins(text: string): string {
  return text
    .replace(OTHER_BLOCK, "$1$2text ")
    .replace(INLINE_QUERY, "$1\\")
    .replace(FORMULA, "$1\\\\")
    .replace(APP_LINK, "$&\\");
}
