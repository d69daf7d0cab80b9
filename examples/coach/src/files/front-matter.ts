import { parse, stringify } from "yaml";
import { harmlessMarkdown, harmlessValue } from "./harmless.ts";

/** A Markdown file: its attributes and its text. */
export interface MarkdownFile {
  attributes: Readonly<Record<string, unknown>>;
  body: string;
}

/** The longest front matter that is read, in characters. Files can be edited from outside. */
const LONGEST_HEAD = 10_000;

/**
 * Writes every text on one line. Block scalars would lose leading blanks, and a text's lines could be
 * mistaken for those of the file.
 */
const ONE_LINE = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
};

/**
 * Formats Markdown with its attributes as YAML above it. Attributes that are `undefined` are left out. Every
 * file of the coach is written here, so attributes and Markdown are made harmless here.
 */
export function withFrontMatter(attributes: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const head = stringify(harmlessValue(Object.fromEntries(given)), ONE_LINE);
  return `---\n${head}---\n\n${harmlessMarkdown(body).trim()}\n`;
}

/** Parses a file. If the front matter is missing or damaged, the whole file is its text. */
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
