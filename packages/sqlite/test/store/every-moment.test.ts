import { copyFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite, sqliteStore } from "../../src/index.ts";
import { note, watchedStore } from "../support/watched-database.ts";

/** The file as a killed process would leave it before a statement, and what was acknowledged by then. */
interface Moment {
  path: string;
  sql: string;
  acknowledged: readonly string[];
}

it("E2 a process that is killed before any statement of a group has lost no acknowledged append, and stored none in part", async () => {
  const acknowledged: string[] = [];
  const moments: Moment[] = [];
  const { store, seen, path } = await watchedStore();
  seen.before = (sql) => {
    const copy = `${path}.${moments.length}`;
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
    moments.push({ path: copy, sql, acknowledged: [...acknowledged] });
  };
  for (let group = 0; group < 3; group += 1)
    await Promise.all(
      ["s", "t", "s"].map(async (id, place) => {
        const mark = `${group}.${place}`;
        await store.append(id, [note(mark), note(mark)], { appendId: mark });
        acknowledged.push(mark);
      }),
    );

  const commits = moments.filter(({ sql }) => sql === "COMMIT");
  expect(commits.map((moment) => moment.acknowledged.length)).toEqual([0, 3, 6]);
  for (const { path: copy, acknowledged: known } of moments) {
    const marks = await marksIn(copy);
    expect(marks).toEqual(expect.arrayContaining([...known]));
    expect(marks.length % 3).toBe(0);
  }
});

/** Returns the marks of the batches in a copy. Each must have both of its events. */
async function marksIn(path: string): Promise<string[]> {
  const db = nodeSqlite(path);
  onTestFinished(() => db.close());
  const store = sqliteStore(db);
  const logs = await Promise.all(["s", "t"].map((id) => Array.fromAsync(store.read(id))));
  const texts = logs.flat().map(({ data }) => (data as { text: string }).text);
  const marks = [...new Set(texts)];
  expect(texts).toEqual(marks.flatMap((mark) => [mark, mark]));
  return marks;
}
