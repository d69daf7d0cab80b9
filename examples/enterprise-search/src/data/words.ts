/** Matches a word as Postgres's parser finds it: letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu;

/** Longer words are not listed. */
export const LONGEST_WORD = 64;

/** Returns a text in lower case without accents, as words are listed and compared. */
export function folded(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** The words of a text, folded. */
export function wordsOf(text: string): string[] {
  return (folded(text).match(WORD) ?? []).filter((word) => word.length <= LONGEST_WORD);
}

/**
 * Lists words with the number of documents that count and have the word. Leaves out numbers: they have no
 * other spelling.
 */
export class WordCounts {
  readonly #counts = new Map<string, number>();

  /** Adds a document's texts. */
  add(texts: readonly string[], { counts }: { counts: boolean }): void {
    for (const word of new Set(wordsOf(texts.join(" "))))
      if (!/^\d+$/.test(word)) this.#counts.set(word, (this.#counts.get(word) ?? 0) + (counts ? 1 : 0));
  }

  entries(): [word: string, documents: number][] {
    return [...this.#counts];
  }
}
