import { parse, stringify } from "yaml";
import { harmlessMarkdown, harmlessValue } from "./harmless.ts";

/** A Markdown file: its attributes and its text. */
export interface MarkdownFile {
  attributes: Readonly<Record<string, unknown>>;
  body: string;
}

/**
 * The longest front matter that is parsed, in characters. Files may have been edited outside of the coach.
 */
const LONGEST_HEAD = 10_000;

/**
 * Options that write each text on one line. Blocks of several lines would lose leading blanks, and a line in
 * them could look like the end of the front matter.
 */
const ONE_LINE = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
};

/**
 * Formats a file: its attributes as YAML, then its Markdown. Leaves out attributes that are `undefined`.
 * Makes all texts harmless; all files of the coach are formatted here.
 */
export function withFrontMatter(attributes: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const head = stringify(harmlessValue(Object.fromEntries(given)), ONE_LINE);
  return `---\n${head}---\n\n${harmlessMarkdown(body).trim()}\n`;
}

/** Parses a file. If the front matter is missing or damaged, the whole file is the body. */
export function readFrontMatter(text: string): MarkdownFile {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const end = plain.startsWith("---\n") ? plain.indexOf("\n---\n", 3) : -1;
  if (end === -1 || end > LONGEST_HEAD) return { attributes: {}, body: plain.trim() };
  try {
    const head: unknown = parse(plain.slice(4, end + 1), { logLevel: "error", maxAliasCount: 0 });
    const isMap = typeof head === "object" && head !== null && !Array.isArray(head);
    return { attributes: isMap ? { ...head } : {}, body: plain.slice(end + 5).trim() };
  } catch {
    return { attributes: {}, body: plain.trim() };
  }
}
