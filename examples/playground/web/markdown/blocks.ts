import { lexer } from "marked";

/**
 * Splits Markdown into its blocks (paragraphs, lists, tables and so on), so that growing text changes only
 * the last one. Joined, they are the same text except for blank lines between them.
 */
export function blocksOf(markdown: string): string[] {
  return lexer(markdown)
    .filter(({ type }) => type !== "space")
    .map(({ raw }) => raw);
}
