import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { type Caller, VISIBLE } from "./caller.ts";

// With `count`, Postgres uses the index. With `EXISTS`, it would scan the table until it finds a document,
// which takes longest for a word that no document has.
const SEEN = `
  SELECT a.word FROM unnest($3::text::text[]) a(word)
  WHERE (SELECT count(*) FROM enterprise_search.documents d
    WHERE ${VISIBLE} AND d.tsv @@ plainto_tsquery('enterprise_search.words', a.word)) > 0`;

/** Which of these words are in a document that the caller may see, in any of their forms. One statement. */
export async function seenOf(
  db: Database,
  { workspaceId, email }: Caller,
  words: readonly string[],
): Promise<ReadonlySet<string>> {
  if (words.length === 0) return new Set();
  const rows = await ask<{ word: string }>(db, SEEN, [workspaceId, email, arrayText(words)]);
  return new Set(rows.map(({ word }) => word));
}
