import { parse, stringify } from "yaml";
import { harmlessMarkdown, harmlessValue } from "./harmless.ts";

/** A Markdown file: what stands above it, and its text. */
export interface MarkdownFile {
  attributes: Readonly<Record<string, unknown>>;
  body: string;
}

/** The longest head that is read, in characters: files can be edited from elsewhere. */
const LONGEST_HEAD = 10_000;

/**
 * Writes every text on one line: block scalars lose leading blanks, and a text's lines could be mistaken for
 * the file's own.
 */
const ONE_LINE = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
};

/**
 * Returns Markdown below its attributes as YAML; attributes that are `undefined` are left out. Every file of
 * the coach is written here, so attributes and Markdown are made harmless here.
 */
export function withFrontMatter(attributes: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const head = stringify(harmlessValue(Object.fromEntries(given)), ONE_LINE);
  return `---\n${head}---\n\n${harmlessMarkdown(body).trim()}\n`;
}

/** Parts a file. One without a head, or with a damaged one, is text from beginning to end. */
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
