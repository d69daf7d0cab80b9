import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type Caller, VISIBLE } from "./caller.ts";

/** SQL that counts the documents with a word, in any of its forms, that the caller may see: see `VISIBLE`. */
// With `count`, Postgres uses the index. With `EXISTS`, it would scan the table until it finds a document,
// which takes longest for a word that no document has.
export const seenWith = (word: string): string =>
  `(SELECT count(*) FROM enterprise_search.documents d
    WHERE ${VISIBLE} AND d.tsv @@ plainto_tsquery('enterprise_search.words', ${word}))::integer`;

const SEEN = `SELECT a.word, ${seenWith("a.word")} AS documents FROM unnest($3::text::text[]) a(word)`;

/**
 * Counts the documents with each of these words, in any of its forms, that the caller may see. Leaves out
 * words without any. One statement.
 */
export async function seenOf(
  db: Database,
  { workspaceId, email }: Caller,
  words: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (words.length === 0) return new Map();
  const rows = await ask<{ word: string; documents: number }>(db, SEEN, [
    ...[workspaceId, email, arrayText(words)],
  ]);
  return new Map(rows.flatMap(({ word, documents }) => (documents > 0 ? [[word, documents]] : [])));
}
