import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Caller } from "./caller.ts";
import { seenOf } from "./seen.ts";

/** Words of this length and longer may be misspelled. */
const FROM = 4;
const TO = 32;

/** The most spellings that replace a misspelled word. */
const MOST = 2;

const MISSPELLED = /^\p{L}+$/u;

export const maySpell = (word: string): boolean =>
  word.length >= FROM && word.length <= TO && MISSPELLED.test(word);

const COLUMNS = "w.word, w.documents, plainto_tsquery('enterprise_search.words', w.word)::text AS query";

/**
 * Words that are one change away. A look-up of a few hundred words costs less than a search for similar ones.
 */
const ONE_CHANGE = `
  SELECT v.asked, ${COLUMNS} FROM unnest($2::text::text[], $3::text::text[]) v(asked, word)
  JOIN enterprise_search.word w ON w.workspace = $1 AND w.word = v.word`;

/** Finds words that share many trigrams (groups of three letters), with the index of trigrams. */
const SIMILAR = `
  SELECT a.word AS asked, ${COLUMNS} FROM unnest($2::text::text[]) a(word)
  CROSS JOIN LATERAL (SELECT x.word, x.documents FROM enterprise_search.word x
    WHERE x.workspace = $1 AND x.word % a.word ORDER BY similarity(x.word, a.word) DESC, x.documents DESC LIMIT 30) w`;

interface Row {
  asked: string;
  word: string;
  documents: number;
  query: string;
}

/** How many candidates of a query are checked. */
const MOST_CHECKED = 20;

/**
 * Finds the likely spellings of misspelled words: words one change away. With `far`, also words two changes
 * away if none is closer. Each is in a document that the caller may see, or in at least `common` documents
 * that everybody may see.
 */
export async function spellingsOf(
  db: Database,
  caller: Caller,
  words: readonly string[],
  { far, common }: { far: boolean; common: number },
): Promise<Map<string, Row[]>> {
  if (words.length === 0) return new Map();
  const { workspaceId } = caller;
  const pairs = words.flatMap((word) => variantsOf(word).map((variant) => [word, variant] as const));
  const near = await ask<Row>(db, ONE_CHANGE, [
    workspaceId,
    arrayText(pairs.map(([asked]) => asked)),
    arrayText(pairs.map(([, variant]) => variant)),
  ]);
  const byWord = await visible(db, caller, near, common);
  const others = words.filter((word) => !byWord.has(word) && word.length > 5);
  if (far && others.length > 0) {
    const similar = await ask<Row>(db, SIMILAR, [workspaceId, arrayText(others)]);
    const close = similar.filter(({ asked, word }) => changesBetween(asked, word) <= 2);
    for (const [asked, rows] of await visible(db, caller, close, common)) byWord.set(asked, rows);
  }
  return new Map(
    [...byWord].map(([asked, rows]) => {
      const known = rows.filter(({ query }) => query !== "");
      return [asked, known.sort((a, b) => b.documents - a.documents).slice(0, MOST)];
    }),
  );
}

/** Returns the candidates that the caller may know, by misspelled word. */
async function visible(
  db: Database,
  caller: Caller,
  rows: readonly Row[],
  common: number,
): Promise<Map<string, Row[]>> {
  const rare = rows.filter(({ documents }) => documents < common).map(({ word }) => word);
  // Runs even without rare words, so that the number of statements does not reveal a hidden word.
  const seen = await seenOf(db, caller, rare.length > 0 ? rare.slice(0, MOST_CHECKED) : [""]);
  const known = rows.flatMap((row): Row[] => {
    const documents = row.documents >= common ? row.documents : seen.get(row.word);
    return documents === undefined ? [] : [{ ...row, documents }];
  });
  return Map.groupBy(known, ({ asked }) => asked);
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
