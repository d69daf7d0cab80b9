import { lexer, marked, type Token, walkTokens } from "marked";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** Renderers of Markdown to HTML, in their least careful configuration: all pass HTML through. */
export const readers: Readonly<Record<string, (file: string) => string>> = {
  "innerHTML of the text": (file) => file,
  marked: (file) => marked.parse(file, { async: false }),
  "marked without the front matter": (file) => marked.parse(bodyOf(file), { async: false }),
  "GitHub's dialect": (file) =>
    micromark(file, {
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    }),
  "regular expressions": byExpressions,
};

function bodyOf(file: string): string {
  return file.slice(file.indexOf("\n---\n", 3) + 5);
}

/**
 * Renders by a few regular expressions, as many pages do. Knows no autolinks and drops control characters.
 */
function byExpressions(file: string): string {
  return file
    .replace(/(?!\s)\p{Cc}/gu, "")
    .replace(
      /```(\S*)\n([\s\S]*?)```/g,
      (_, language, code) => `<pre title="${quoted(language)}">${code}</pre>`,
    )
    .replace(
      /!\[([^\]]*)\]\(([^)]*)\)/g,
      (_, words, target) => `<img src="${quoted(target)}" alt="${quoted(words)}">`,
    )
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_, words, target) => `<a href="${quoted(target)}">${words}</a>`)
    .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
    .replace(/`([^`]*)`/g, "<code>$1</code>")
    .replace(/\n{2,}/g, "<p>");
}

function quoted(text: string): string {
  return text.replaceAll('"', "&quot;");
}

/** Finds what Obsidian and its usual plugins would run or embed in a file. */
export function runsInObsidian(file: string): string[] {
  const found: string[] = [...file.matchAll(/<%|!\[\[|obsidian:\/\//g)].map(([sign]) => sign);
  const look = (token: Token): void => {
    if (token.type === "code") found.push(...programIn(token.lang ?? ""));
    if (token.type === "codespan" && /^\s*(\$=|=\s*[^\s=>])/.test(token.text)) found.push(token.text);
  };
  for (const text of [bodyOf(file), file]) void walkTokens(lexer(text), look);
  // A backslash after an even number of others begins a command.
  found.push(...[...file.matchAll(/(?<!\\)(?:\\\\)*\\href/g)].map(([command]) => command));
  return found;
}

const COLOURED = ["", "text", "js", "ts", "json", "sh", "python"];

function programIn(info: string): string[] {
  const language = info.trim().split(/\s/)[0]?.toLowerCase() ?? "";
  return COLOURED.includes(language) ? [] : [language];
}
