import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SqliteDatabase } from "../../src/index.ts";

/** The path of a file that does not exist, in a folder that is deleted after the test. */
export function newPath(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "log.db");
}

/** A folder that the caller deletes. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "pawl-sqlite-"));
}

/** Moves a database's clock: every statement reads it by the same SQL. */
export function withClock(db: SqliteDatabase): SqliteDatabase & { advance(ms: number): void } {
  let offset = 0;
  return {
    ...db,
    run: (sql, values) =>
      db.run(sql.replaceAll("unixepoch('subsec')", `(unixepoch('subsec') + ${offset})`), values),
    advance: (ms) => {
      offset += ms / 1_000;
    },
  };
}
