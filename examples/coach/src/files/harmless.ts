/**
 * Makes Markdown harmless in every reader: in a renderer that passes HTML through, on GitHub, and in Obsidian
 * with its plugins. Applying it twice has the same result as once.
 *
 * - Raw HTML and templates become text (`&lt;script>`).
 * - Images become links, so that nothing is fetched.
 * - Links to `javascript:` and other unsafe targets lead nowhere.
 * - Prose, lists, tables, emphasis and links to the web do not change.
 */
export function harmlessMarkdown(text: string): string {
  const plain = text.toWellFormed().replace(UNSEEN, "");
  return withoutPlugins(withSafeTargets(withoutHtml(plain)));
}

/** Makes every text in a value of front matter harmless. */
export function harmlessValue(value: unknown): unknown {
  if (typeof value === "string") return harmlessMarkdown(value);
  if (Array.isArray(value)) return value.map(harmlessValue);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, part]) => [harmlessMarkdown(name), harmlessValue(part)]));
}

/**
 * Control characters except tabs and line breaks. Some readers drop them, so that the characters around them
 * form new markup.
 */
const UNSEEN = /(?![\t\n\r])\p{Cc}/gu;

/**
 * An address in angle brackets. Without the brackets it is still a link, and cannot be parsed as an element
 * with attributes.
 */
const AUTOLINK = /(\w?)<(https?:\/\/[^\s<>"'`]*|(?:mailto:)?[a-z][\w.+-]*@[\w.-]+)>(?=(\w?))/gi;

/** The `<` of a tag, a comment, a declaration or a template. */
const TAG = /<(?=[a-z/!?%])/gi;

function withoutHtml(text: string): string {
  const bare = (_: string, before: string, address: string, after: string): string =>
    `${before}${before && " "}${address}${after && " "}`;
  return text.replace(AUTOLINK, bare).replace(TAG, "&lt;");
}

/**
 * Link targets that are allowed: web addresses, mail addresses and paths. Targets with another scheme, or
 * with a hidden one, do not match.
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

/**
 * Languages of code blocks that readers highlight. Code blocks of other languages may be run by a plugin,
 * e.g. `dataviewjs`.
 */
const LANGUAGES =
  "bash|c|cpp|cs|csharp|css|csv|diff|go|ini|java|javascript|js|json|jsx|kotlin|markdown|md|php|py|python|rb|rs|ruby|rust|sh|" +
  "shell|sql|swift|text|toml|ts|tsx|txt|typescript|yaml|yml|zsh";
const OTHER_BLOCK = new RegExp(
  // A line that starts with backticks and has more of them later is inline code, not the start of a block.
  `(?<!\`)(\`{3,}(?=[^\`\\n]*$)|(?<!~)~{3,})([ \\t]*)(?=[^\\s~])(?!(?:${LANGUAGES})[ \\t\\r]*$|text )`,
  "gim",
);

/** Inline code that Dataview runs: `$= …` and `= …`. */
const INLINE_QUERY = /(?<!`)(`+\s*)(?=\$=|=\s*[^\s=>`])/g;

/** LaTeX commands that link, load, or set attributes. With a doubled backslash they are shown as text. */
const FORMULA =
  /(?<!\\)((?:\\\\)*)\\(?=(?:href|url|includegraphics|html\w*|require|class|cssId|style|data|csname)\b)/g;

/** Obsidian's own addresses. A click on one could run a command of the app. */
const APP_LINK = /\bobsidian:(?=\/\/)/gi;

function withoutPlugins(text: string): string {
  return text
    .replace(OTHER_BLOCK, "$1$2text ")
    .replace(INLINE_QUERY, "$1\\")
    .replace(FORMULA, "$1\\\\")
    .replace(APP_LINK, "$&\\");
}
