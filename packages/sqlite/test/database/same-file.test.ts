import { copyFileSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeSqlite, sqliteStore } from "../../src/index.ts";
import { newPath } from "../support/databases.ts";

const note = { type: "note", data: { text: "hello" } } as const;

async function opened(database: string | DatabaseSync) {
  const db = nodeSqlite(database);
  onTestFinished(() => db.close());
  const store = sqliteStore(db);
  await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const append = (appendId: string) => store.append("s", [note], { appendId });
  await append("before");
  return { store, append };
}

const replaced = (path: string) => {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
};
const refusal = (path: string) => ({
  code: "store_unavailable",
  message: expect.stringContaining(`"${path}" was deleted or replaced while it was open`),
});

describe("a file of SQLite's that is deleted or replaced while it is open", () => {
  it.each([
    ["deleted", (path: string) => rmSync(path), ""],
    ["replaced", replaced, ""],
    ["without its write-ahead log", (path: string) => rmSync(`${path}-wal`), "-wal"],
  ])("E2 acknowledges no append once it is %s", async (_what, change, suffix) => {
    const path = newPath();
    const { store, append } = await opened(path);
    change(path);
    await expect(append("after")).rejects.toMatchObject(refusal(path + suffix));
    await expect(store.sessions.get("s")).rejects.toMatchObject(refusal(path + suffix));
  });

  it("E2 acknowledges appends again once it is back, and has stored none in between", async () => {
    const path = newPath();
    const { store, append } = await opened(path);
    renameSync(path, `${path}.moved`);
    await expect(append("lost")).rejects.toMatchObject(refusal(path));
    renameSync(`${path}.moved`, path);
    expect(await append("after")).toMatchObject([{ seq: 2 }]);
    expect(await Array.fromAsync(store.read("s"))).toHaveLength(2);
  });

  it("E2 is noticed in a DatabaseSync of the application's, whose journal is deleted by each commit", async () => {
    const path = newPath();
    const raw = new DatabaseSync(path);
    const { append } = await opened(raw);
    await append("once more");
    rmSync(path);
    await expect(append("after")).rejects.toMatchObject(refusal(path));
  });

  it("E2 keeps working while other connections open and close it, and the process changes its folder", async () => {
    const path = newPath();
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    const folder = path.slice(0, path.lastIndexOf("/"));
    process.chdir(folder);
    const { append } = await opened("log.db");
    process.chdir(before);
    for (const n of [1, 2]) {
      const other = nodeSqlite(path);
      sqliteStore(other);
      other.close();
      await append(`${n}`);
    }
  });
});
