/**
 * Phrases that a reader who learned English at school reads twice. Some are right where they stand, so they
 * are counted.
 */
const PHRASES = [
  /\b(?:is|are) none\b/,
  /\bminds? (?:its|no|the)\b/,
  /\b(?:take|takes|taken|took) up\b/,
  /\bg(?:o|oes|one|oing) on (?:with|from)\b/,
  /\b(?:come|comes|came) to (?:rest|nothing)\b/,
  /\bat rest\b/,
  /\bunder way\b/,
  /\bof yesterday\b/,
  /\bleft behind\b/,
  /\blook(?:s|ed)? again\b/,
  /\bmended\b/,
  /\b(?:is|are|was) at work\b/,
  /\b[Ww]hoever\b/,
  /\b[Ww]ho (?:asks|comes|sends|reads|gives|has|wants|fails)\b/,
  /\b[Ww]hat (?:is|was|has been|has|comes|came|had) (?:told|said|come|meanwhile|there already|been|under way|going on)\b/,
  /\bgoes for\b/,
  /\ban account of\b/,
  /\bmakes? no sense\b/,
  /\bas it means\b/,
  /\bwithout a word\b/,
];

/** Files with sentences. A changelog is history. */
const WATCHED = /(?<!CHANGELOG)\.(?:ts|tsx|md|mjs|sql)$/;

/** How many lines of the project may have such a phrase. */
export const MOST_PHRASES = 35;

/**
 * Finds lines with one of the phrases.
 *
 * @param {string} file
 * @param {string} text
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findPhrases(file, text) {
  if (!WATCHED.test(file) || file === "scripts/lib/phrases.mjs") return [];
  return text.split("\n").flatMap((content, index) => {
    const found = PHRASES.map((phrase) => phrase.exec(content)?.[0]).find((phrase) => phrase !== undefined);
    return found === undefined ? [] : [{ file, line: index + 1, message: `"${found}" is hard to read` }];
  });
}
