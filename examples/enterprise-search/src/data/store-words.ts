import { ask, type ColumnTypes, columnsOf } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Company } from "../company/index.ts";
import { type ListedWord, WordList } from "./words.ts";

const WORD: ColumnTypes<ListedWord & { workspace: string }> = {
  workspace: "text",
  word: "text",
  documents: "integer",
  acl: "integer[]",
};

/**
 * Stores all words with the groups that may see them, for spellings. Counts only documents that everybody in
 * the workspace may see: other counts would change the order of results for people who may not see the
 * documents.
 */
export async function storeWords(
  db: Database,
  { workspaces, documents }: Company,
  names: ReadonlyMap<number, string>,
): Promise<void> {
  const everyone = new Set(
    workspaces.flatMap(({ groups }) => groups.filter(({ kind }) => kind === "everyone").map(({ id }) => id)),
  );
  const lists = new Map<string, WordList>();
  for (const { workspace, title, body, owner, acl } of documents) {
    const own = lists.get(workspace) ?? new WordList();
    const isOpen = acl.some((id) => everyone.has(id));
    own.add([title, body, names.get(owner) ?? ""], { acl, isOpen });
    lists.set(workspace, own);
  }
  for (const [workspace, list] of lists) {
    const rows = list.words().map((word) => ({ ...word, workspace }));
    for (let at = 0; at < rows.length; at += 5_000) {
      const { arrays, values, names: columns } = columnsOf(WORD, rows.slice(at, at + 5_000), 1);
      await ask(
        db,
        `INSERT INTO enterprise_search.word (workspace, word, stem, documents, acl)
         SELECT r.workspace, r.word, coalesce((ts_lexize('english_stem', r.word))[1], ''), r.documents,
           r.acl::integer[]
         FROM unnest(${arrays}) AS r(${columns}) ON CONFLICT (workspace, word) DO NOTHING`,
        values.map(withoutMarks),
      );
    }
  }
}

/** Replaces the characters with which a search marks the words that it found. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[\uE000\uE001]/g, "\uFFFD");
}
