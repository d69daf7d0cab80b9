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

/** A word of a workspace. */
export interface ListedWord {
  word: string;
  /** How many documents that everybody may see have it. */
  documents: number;
  /** The groups of all documents that have it, in order. */
  acl: number[];
}

/** Lists the words of documents. Leaves out numbers: they have no other spelling. */
export class WordList {
  readonly #words = new Map<string, { documents: number; acl: Set<number> }>();

  /** Adds a document's texts, and the groups that may see it. */
  add(texts: readonly string[], { acl, isOpen }: { acl: readonly number[]; isOpen: boolean }): void {
    for (const word of new Set(wordsOf(texts.join(" ")))) {
      if (/^\d+$/.test(word)) continue;
      const listed = this.#words.get(word) ?? { documents: 0, acl: new Set() };
      this.#words.set(word, listed);
      if (isOpen) listed.documents += 1;
      for (const group of acl) listed.acl.add(group);
    }
  }

  words(): ListedWord[] {
    return [...this.#words].map(([word, { documents, acl }]) => ({
      ...{ word, documents },
      acl: [...acl].sort((a, b) => a - b),
    }));
  }
}
