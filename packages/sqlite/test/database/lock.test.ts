import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite } from "../../src/index.ts";

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "pawl-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "log.db");
}

const waitOf = (db: ReturnType<typeof nodeSqlite>) => db.run("PRAGMA busy_timeout", [])[0];

it("E9 a transaction waits five seconds for the lock of another one, and then fails; the next one gets it", () => {
  const path = file();
  const db = nodeSqlite(path);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const begun = performance.now();
  expect(() => db.transaction(() => 1)).toThrow("database is locked");
  expect(performance.now() - begun).toBeGreaterThan(4_900);
  expect(waitOf(db)).toEqual({ timeout: 5_000 });
  other.exec("COMMIT");
  expect(db.transaction(() => 2)).toBe(2);
  expect(waitOf(db)).toEqual({ timeout: 5_000 });
  other.close();
  db.close();
});
