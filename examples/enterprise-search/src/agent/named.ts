import { wordsOf } from "../data/words.ts";
import type { FoundPerson } from "../search/index.ts";

/** Words that are too short or common to be looked up as names. */
const COMMON = new Set(
  "the and for what who when does say says did was were has have about with from our".split(" "),
);

/** The words of a text that may be names, at most 12. */
export function nameWords(text: string): string[] {
  const words = wordsOf(text.slice(0, 2_000)).filter((word) => word.length > 2 && /^\p{L}/u.test(word));
  return [...new Set(words)].filter((word) => !COMMON.has(word)).slice(0, 12);
}

/** Whether a text is nothing but a name of the person, e.g. "Alex", "Alex's" or "alex chen". */
export function isNamed({ name }: Pick<FoundPerson, "name">, text: string): boolean {
  const own = wordsOf(name);
  const words = wordsOf(text.replace(/['’]s\b/g, ""));
  return words.length > 0 && words.every((word) => own.includes(word));
}
