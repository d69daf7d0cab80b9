import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Caller } from "./caller.ts";
import { seenOf } from "./seen.ts";
import { maySpell, spellingsOf } from "./spelling.ts";
import { synonymsOf } from "./synonyms.ts";

/** One word of a query, with its synonyms or other spellings. */
export interface Term {
  word: string;
  /** Queries in the text form of `tsquery`, made by the database. `others` are synonyms. */
  query: string;
  others: string | undefined;
  /** The weight of the word: the logarithm of its rarity. */
  weight: number;
  /** The weight of the synonyms. It is lower, because they may mean something else. */
  otherWeight: number;
  /** Whether other spellings replace the word, because no document has it. */
  respelled: boolean;
}

interface Found {
  word: string;
  query: string;
  documents: number;
}

/** Counts, for each word, the documents with any of its forms that everybody in the workspace may see. */
const LOOK_UP = `
  SELECT a.word, plainto_tsquery('enterprise_search.words', a.word)::text AS query,
    coalesce((SELECT sum(w.documents) FROM enterprise_search.word w
      WHERE w.workspace = $1 AND w.stem = (ts_lexize('english_stem', a.word))[1]), 0)::integer AS documents
  FROM unnest($2::text::text[]) a(word)`;

/**
 * Looks up the words of one workspace. Caches them, because the list of words changes only with a new index.
 */
export interface Lexicon {
  /**
   * Looks up the words of a query. Drops common words, e.g. `the`. A word that is only in documents
   * that the caller may not see is treated like one that does not exist, by the same statements.
   */
  terms(caller: Caller, words: readonly string[], synonyms: boolean): Promise<Term[]>;
}

/** The most words of a query that are replaced by other spellings. */
const MOST_RESPELLED = 4;

/**
 * The rarity of a word in at least this share of the documents that everybody may see is taken from these.
 * Otherwise it is taken from the documents that the caller may see. So hidden documents never count.
 */
const KNOWN_TO_ALL = 0.01;

/** How many words are remembered at most. */
const MOST_KNOWN = 20_000;

export function lexicon(db: Database, workspaceId: string): Lexicon {
  const known = new Map<string, Found>();
  let total = 0;
  const lookUp = async (words: readonly string[]): Promise<ReadonlyMap<string, Found>> => {
    // Copied at once, because a concurrent search may clear the map.
    const found = new Map<string, Found>();
    for (const word of words) {
      const row = known.get(word);
      if (row !== undefined) found.set(word, row);
    }
    const missing = [...new Set(words)].filter((word) => !found.has(word));
    if (missing.length === 0) return found;
    const rows = await ask<Found>(db, LOOK_UP, [workspaceId, arrayText(missing)]);
    if (known.size + rows.length > MOST_KNOWN) known.clear();
    for (const row of rows) {
      known.set(row.word, row);
      found.set(row.word, row);
    }
    return found;
  };
  return {
    terms: async (caller, words, synonyms) => {
      const others = new Map(words.map((word) => [word, synonyms ? synonymsOf(word) : []]));
      const wanted = [...words, ...[...others.values()].flat()];
      // Caches nothing while the index is not filled yet.
      if (total === 0) {
        known.clear();
        total = await sizeOf(db, workspaceId);
      }
      const listed = await lookUp(wanted);
      // At least one, so that a word which everybody may see nowhere is never taken for a common one.
      const common = Math.max(1, total * KNOWN_TO_ALL);
      const isRare = (word: string) => (listed.get(word)?.documents ?? 0) < common;
      const rare = words.filter((word) => isRare(word) && !others.get(word)?.length);
      const seen = await seenOf(db, caller, rare);
      const unseen = new Set(rare.filter((word) => !seen.has(word)));
      const found = new Map([...listed].map(([word, row]) => [word, countedFor(row, rare, seen)]));
      const strange = [...unseen].filter(maySpell).slice(0, MOST_RESPELLED);
      // A search for distant spellings takes as long as the rest. Two known words find documents without it.
      const far = words.filter((word) => !unseen.has(word) && found.get(word)?.documents).length < 2;
      const spelled = await spellingsOf(db, caller, strange, { far, common });
      return words.flatMap((word): Term[] => {
        const row = found.get(word);
        if (row === undefined || row.query === "") return [];
        const alike = (others.get(word) ?? []).flatMap((other) => found.get(other) ?? []);
        const known = alike.filter(({ query }) => query !== "");
        return termOf(row, row.documents > 0 ? [] : (spelled.get(word) ?? []), known, total || 1);
      });
    },
  };
}

/** Replaces the count of a rare word by that of the documents which the caller may see. */
function countedFor(row: Found, rare: readonly string[], seen: ReadonlyMap<string, number>): Found {
  return rare.includes(row.word) ? { ...row, documents: seen.get(row.word) ?? 0 } : row;
}

function termOf(own: Found, spelled: readonly Found[], alike: readonly Found[], total: number): Term[] {
  const rarity = (found: readonly Found[]) => {
    const documents = found.reduce((sum, row) => sum + row.documents, 0);
    return Math.log(1 + total / Math.max(1, Math.min(total, documents)));
  };
  const isRespelled = spelled.length > 0 && alike.length === 0;
  const used = isRespelled ? spelled : [own];
  const others = alike.length > 0 ? anyOf(alike.map(({ query }) => query)) : undefined;
  const otherWeight = alike.length > 0 ? SYNONYM * rarity(alike) : 0;
  // A word that is in no document says nothing about how rare its synonyms are.
  const weight =
    own.documents > 0 || isRespelled ? rarity(used) : alike.length > 0 ? otherWeight : rarity(used);
  return [
    {
      word: own.word,
      query: anyOf(used.map(({ query }) => query)),
      others,
      weight,
      otherWeight,
      respelled: isRespelled,
    },
  ];
}

/** How much a synonym counts beside the word itself. */
const SYNONYM = 0.7;

/** Estimates how many documents of a workspace everybody may see: those that have its most common word. */
async function sizeOf(db: Database, workspaceId: string): Promise<number> {
  const [row] = await ask<{ size: number }>(
    db,
    "SELECT coalesce(max(documents), 0)::integer AS size FROM enterprise_search.word WHERE workspace = $1",
    [workspaceId],
  );
  return row?.size ?? 0;
}

/** Joins queries, each in parentheses, by "or". */
export const anyOf = (queries: readonly string[]): string =>
  [...new Set(queries)].map((query) => `(${query})`).join(" | ");
