/** A text to choose by relevance. A word of the `name` counts three times. */
export interface Candidate {
  name: string;
  text: string;
}

/** How well a text fits a query: 0 for no word in common. `words` are the words of the query in it. */
export interface Relevance {
  score: number;
  words: string[];
}

/**
 * Compares texts with a query, by the words that they have in common. A word that few of the texts have
 * counts more.
 */
export function relevanceOf(query: string, candidates: readonly Candidate[]): Relevance[] {
  const wanted = [...new Set(wordsOf(query))];
  const texts = candidates.map(({ name, text }) => ({
    name: new Set(wordsOf(name)),
    text: new Set(wordsOf(text)),
  }));
  const weights = wanted.map((word) => {
    const having = texts.filter(({ name, text }) => name.has(word) || text.has(word)).length;
    return Math.log(1 + texts.length / (1 + having));
  });
  return texts.map(({ name, text }) => {
    const found = wanted.map((word) => (name.has(word) ? 3 : text.has(word) ? 1 : 0));
    const score = found.reduce<number>((sum, times, at) => sum + times * (weights[at] ?? 0), 0);
    return { score, words: wanted.filter((_, at) => (found[at] ?? 0) > 0) };
  });
}

/** Common words, which say nothing about a subject. */
const COMMON = new Set(
  "the and for with from that this what who whom how why when where does did was were are is has have had about into its our your their they them you can could will would should say says said please all any not but or of to in on at by an it be as do me my we us".split(
    " ",
  ),
);

/** Returns the words of a text, without case, accents and the plural's "s". */
function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => word.length > 1 && !COMMON.has(word))
    .map((word) =>
      word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
    );
}
