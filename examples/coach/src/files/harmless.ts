/**
 * Makes Markdown harmless in every reader: a renderer that passes HTML through, GitHub, or Obsidian with its
 * plugins. Raw HTML and templates stay readable as text (`&lt;script>`), images become links so that nothing
 * is fetched, and a link to `javascript:` or the like leads nowhere. Prose, lists, tables, emphasis and links
 * to the web stay as they are. Applying it again changes nothing.
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

/**
 * Control characters except tabs and line breaks: some readers drop them, which joins the characters around
 * them.
 */
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

/**
 * A web address, a mail address or a path among the files. A target with another scheme, or one that may hide
 * a scheme, does not match.
 */
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

/** Languages that readers highlight. A plugin may run blocks of other languages (`dataviewjs`, `mermaid`). */
const LANGUAGES =
  "bash|c|cpp|cs|csharp|css|csv|diff|go|ini|java|javascript|js|json|jsx|kotlin|markdown|md|php|py|python|rb|rs|ruby|rust|sh|" +
  "shell|sql|swift|text|toml|ts|tsx|txt|typescript|yaml|yml|zsh";
const OTHER_BLOCK = new RegExp(
  // A line that starts with backticks and has more of them later is inline code.
  `(?<!\`)(\`{3,}(?=[^\`\\n]*$)|(?<!~)~{3,})([ \\t]*)(?=[^\\s~])(?!(?:${LANGUAGES})[ \\t\\r]*$|text )`,
  "gim",
);

/** Inline code that Dataview runs: `$= …` and `= …`. */
const INLINE_QUERY = /(?<!`)(`+\s*)(?=\$=|=\s*[^\s=>`])/g;

/**
 * Commands of formulas that link, load, or set attributes. With its backslash doubled, a command is shown as
 * text.
 */
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
