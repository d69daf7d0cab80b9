import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type Caller, visible } from "./caller.ts";
import { seenWith } from "./seen.ts";

/** Words of this length and longer may be misspelled. */
const FROM = 4;
const TO = 32;

/** The most spellings that replace a misspelled word. */
const MOST = 2;

/** The most changes between a misspelled word and its spelling. */
const FAR = 2;

/** How many similar words are compared with a misspelled one at most: those that the caller may know. */
const MOST_SIMILAR = 30;

const MISSPELLED = /^\p{L}+$/u;

export const maySpell = (word: string): boolean =>
  word.length >= FROM && word.length <= TO && MISSPELLED.test(word);

/**
 * SQL for the count of a word: that of the documents which everybody may see, or, if these are fewer than
 * `$3`, of those that the caller may see. It is 0 once they are all gone.
 */
const KNOWN = `CASE WHEN w.documents >= $3::text::float8 THEN w.documents ELSE ${seenWith("w.word")} END`;

const QUERY = "plainto_tsquery('enterprise_search.words', w.word)::text";

/**
 * Finds the words that are one change away and that the caller may know, the most frequent ones of each asked
 * word. A look-up of a few hundred words costs less than a search for similar ones.
 */
const ONE_CHANGE = `
  WITH known AS MATERIALIZED (
    SELECT v.asked, w.word, ${KNOWN} AS documents, ${QUERY} AS query
    FROM unnest($4::text::text[], $5::text::text[]) v(asked, word)
    JOIN enterprise_search.word w ON w.word = v.word AND ${visible("w")}),
  placed AS (
    SELECT k.*, row_number() OVER (PARTITION BY k.asked ORDER BY k.query = '', k.documents DESC, k.word) AS place
    FROM known k WHERE k.documents > 0)
  SELECT p.asked, p.word, p.documents, p.query FROM placed p WHERE p.place <= ${MOST} ORDER BY p.asked, p.place`;

/**
 * Finds words that share many trigrams (groups of three letters), with the index of trigrams: the most
 * similar ones that the caller may know.
 */
// Postgres sorts the words in the inner query, and counts documents until there are enough known words.
const SIMILAR = `
  SELECT a.word AS asked, w.word, w.documents, w.query FROM unnest($4::text::text[]) a(word)
  CROSS JOIN LATERAL (
    SELECT k.word, k.documents, k.query FROM (
      SELECT x.word, x.documents FROM enterprise_search.word x
      WHERE ${visible("x")} AND x.word % a.word AND abs(length(x.word) - length(a.word)) <= ${FAR}
      ORDER BY similarity(x.word, a.word) DESC, x.documents DESC, x.word) w
    CROSS JOIN LATERAL (SELECT w.word, ${KNOWN} AS documents, ${QUERY} AS query OFFSET 0) k
    WHERE k.documents > 0 LIMIT ${MOST_SIMILAR}) w`;

interface Row {
  asked: string;
  word: string;
  documents: number;
  query: string;
}

/**
 * Finds the likely spellings of misspelled words: words one change away. With `far`, also words two changes
 * away if none is closer. Each is in a document that the caller may see, or in at least `common` documents
 * that everybody may see. Each statement leaves out other words before it takes the first ones, so hidden
 * documents change neither the spellings nor the number of statements.
 */
export async function spellingsOf(
  db: Database,
  { workspaceId, email }: Caller,
  words: readonly string[],
  { far, common }: { far: boolean; common: number },
): Promise<Map<string, Row[]>> {
  if (words.length === 0) return new Map();
  const pairs = words.flatMap((word) => variantsOf(word).map((variant) => [word, variant] as const));
  const given = [workspaceId, email, String(common)];
  const near = await ask<Row>(db, ONE_CHANGE, [
    ...given,
    arrayText(pairs.map(([asked]) => asked)),
    arrayText(pairs.map(([, variant]) => variant)),
  ]);
  const byWord = Map.groupBy(near, ({ asked }) => asked);
  const others = words.filter((word) => !byWord.has(word) && word.length > 5);
  if (far && others.length > 0) {
    const similar = await ask<Row>(db, SIMILAR, [...given, arrayText(others)]);
    const close = similar.filter(({ asked, word }) => changesBetween(asked, word) <= FAR);
    for (const [asked, rows] of Map.groupBy(close, (row) => row.asked)) byWord.set(asked, rows);
  }
  return new Map(
    [...byWord].map(([asked, rows]) => {
      const known = rows.filter(({ query }) => query !== "");
      return [asked, known.sort((a, b) => b.documents - a.documents).slice(0, MOST)];
    }),
  );
}

/** All words one change away: a letter dropped, swapped with the next, replaced or added. */
function variantsOf(word: string): string[] {
  const letters = [...new Set([..."abcdefghijklmnopqrstuvwxyz", ...word])];
  const all = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [before, rest] = [word.slice(0, at), word.slice(at + 1)];
    if (at < word.length) all.add(before + rest);
    if (at + 1 < word.length) all.add(`${before}${word[at + 1]}${word[at]}${word.slice(at + 2)}`);
    for (const letter of letters) {
      all.add(before + letter + word.slice(at));
      if (at < word.length) all.add(before + letter + rest);
    }
  }
  return [...all];
}

/** How many letters must be added, dropped, replaced or swapped with the next. */
export function changesBetween(one: string, two: string): number {
  let before: number[] = [];
  let last = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= two.length; j += 1) {
      const same = one[i - 1] === two[j - 1] ? 0 : 1;
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + same,
      );
      if (i > 1 && j > 1 && one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[two.length] as number;
}
