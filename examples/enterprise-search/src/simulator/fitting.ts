import { wordsOf } from "../data/words.ts";

/** A search result, as the model reads it. */
export interface Found {
  id: string;
  title: string;
  owner: string;
  at: string;
  text: string;
}

/** Words of questions that do not name a subject. */
export const ASKING: ReadonlySet<string> = new Set(
  (
    "a about an and any anything are at be can did do does find for from had happens has have how i in is it know large " +
    "last many me much my of on or our say says said show tell that the there they think this to was we were what when " +
    "where which who why will with wrote you"
  ).split(" "),
);

/** Matches a figure: money, a percentage or a number. `Q4` does not match. */
const FIGURE = /(^|[\s($€])\d/;

/**
 * Returns the results that have about as many of the question's words as the best one. Returns none if the
 * best one has less than half of the words. If the question asks for a number, only sentences with a figure
 * count.
 */
export function fitting(question: string, found: readonly Found[]): Found[] {
  const wanted = [...new Set(wordsOf(question))].filter((word) => !ASKING.has(word));
  if (wanted.length === 0) return [...found];
  const asksForFigure = /\bhow (much|many|large|high|long)\b/i.test(question);
  const scores = found.map((one) => {
    const about = `${one.title}. ${one.owner}`;
    const all = sharedWith(wanted, `${about} ${one.text}`);
    const isFigure = (sentence: string) =>
      FIGURE.test(sentence) && 2 * sharedWith(wanted, `${about} ${sentence}`) >= wanted.length;
    return asksForFigure && !sentencesOf(one.text).some(isFigure) ? 0 : all;
  });
  const best = Math.max(0, ...scores);
  if (2 * best < wanted.length) return [];
  return found.filter((_, at) => (scores[at] ?? 0) > 0.7 * best);
}

/** How many of the words a text has. The first letters are enough: "forecast" is in "forecasts". */
function sharedWith(wanted: readonly string[], text: string): number {
  const words = wordsOf(text);
  return wanted.filter((one) => words.some((word) => word.startsWith(one.slice(0, 6)))).length;
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/);
}
