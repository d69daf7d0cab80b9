import { lexer } from "marked";

/**
 * Splits Markdown into blocks, e.g. paragraphs, lists and tables. When the text grows, only the last block
 * changes. Joined, the blocks are the same text except for blank lines between them.
 */
export function blocksOf(markdown: string): string[] {
  return lexer(markdown)
    .filter(({ type }) => type !== "space")
    .map(({ raw }) => raw);
}
