import { lexer } from "marked";

/**
 * Markdown as its paragraphs, lists, tables and so on, each in its own Markdown: of a text that grows only
 * the last one changes. They come to the text again, but for blank lines between them.
 */
export function blocksOf(markdown: string): string[] {
  return lexer(markdown)
    .filter(({ type }) => type !== "space")
    .map(({ raw }) => raw);
}
