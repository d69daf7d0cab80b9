import { folded, LONGEST_WORD } from "../data/words.ts";

/** The limits of a query. Longer ones are cut, because long queries cost seconds and find nothing more. */
export const MOST_CHARS = 400;
export const MOST_WORDS = 12;

/** A query in parts. All words are folded: lower case without accents. */
export interface CleanQuery {
  /** The words to search for, in the order of the query, each once. */
  words: readonly string[];
  /** Words that results must not have. */
  excluded: readonly string[];
  /** Phrases from quotes: results must have their words in this order. */
  phrases: readonly (readonly string[])[];
}

/** Matches `-word`, a word, or a part in quotes. What is neither letter nor digit separates words. */
const PART = /"([^"]*)"?|(?<![\p{L}\p{N}])-([\p{L}\p{N}]+)|([\p{L}\p{N}]+)/gu;

/**
 * Reads a query. Any text is a valid query: the only operators are quotes and a minus before a
 * word. The words go to the database as parameters.
 */
export function cleanQuery(text: string): CleanQuery {
  const words: string[] = [];
  const excluded: string[] = [];
  const phrases: string[][] = [];
  const given = text.toWellFormed().slice(0, MOST_CHARS).toWellFormed();
  for (const [, quoted, minus, word] of given.matchAll(PART)) {
    if (minus !== undefined) excluded.push(folded(minus));
    if (word !== undefined) words.push(folded(word));
    if (quoted === undefined) continue;
    const parts = (folded(quoted).match(/[\p{L}\p{N}]+/gu) ?? []).filter(isShort);
    words.push(...parts);
    if (parts.length > 1) phrases.push(parts.slice(0, MOST_WORDS));
  }
  return {
    words: [...new Set(words.filter(isShort))].slice(0, 2 * MOST_WORDS),
    excluded: [...new Set(excluded.filter(isShort))].slice(0, MOST_WORDS),
    phrases: phrases.slice(0, 3),
  };
}

const isShort = (word: string) => word.length > 0 && word.length <= LONGEST_WORD;
