import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, runtime } from "@pawl/core";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { health } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";

it("Q5 a process whose SQLite file has been deleted is not ready, and lives", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-deleted-"));
  const db = nodeSqlite(join(folder, "log.db"));
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." });
  const check = health({ runtime: runtime({ agents: [coach], store: sqliteStore(db) }) });
  const ask = async (name: string) => await check(new Request(`http://localhost/${name}`));
  expect((await ask("readyz")).status).toBe(200);
  rmSync(folder, { recursive: true });
  const response = await ask("readyz");
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ ready: false, reason: "store_unavailable" });
  expect((await ask("livez")).status).toBe(200);
});
