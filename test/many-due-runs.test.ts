import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { worker } from "../packages/cli/test/support/command.ts";
import { storeOpenRuns } from "./attacks/parts/open-runs.ts";
import type { WorkerReport } from "./support/due-runs-app.ts";
import { ofType } from "./support/invariants.ts";
import { until } from "./support/until.ts";

const RUNS = 300;
const APP = "../../../../test/support/due-runs-app.ts";

/** Stores due runs in a new SQLite file, and reads what workers over it report. */
async function dueRuns() {
  const folder = mkdtempSync(join(tmpdir(), "pawl-due-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { DB: join(folder, "log.db"), REPORT: join(folder, "reports") };
  const database = nodeSqlite(env.DB);
  onTestFinished(() => database.close());
  const store = sqliteStore(database);
  await storeOpenRuns(store, RUNS);
  const reports = () =>
    readFileSync(env.REPORT, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as WorkerReport);
  return { env, store, reports };
}

it("B8 Q5 two workers answer while they begin many due runs over SQLite, and each run ends once", async () => {
  const { env, store, reports } = await dueRuns();
  const workers = await Promise.all([
    worker(APP, { env, args: ["--concurrency", "5"] }),
    worker(APP, { env, args: ["--concurrency", "5"] }),
  ]);
  for (const { get } of workers) expect((await get("/livez")).status).toBe(200);
  await until(async () => (await store.listRecoverable({ limit: 1 })).length === 0);
  const ids = Array.from({ length: RUNS }, (_, n) => `session ${n}`);
  await until(async () => {
    const rows = await Promise.all(ids.map((id) => store.sessions.get(id)));
    return rows.every((row) => row?.openRun === null);
  });
  for (const id of ids) {
    const log = await Array.fromAsync(store.read(id));
    expect([id, ofType(log, "run_ended").length, ofType(log, "llm_request").length]).toEqual([id, 1, 1]);
  }
  for (const { child, exit } of workers) {
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  }
  for (const { atOnce, inOneTurn } of reports()) {
    expect(atOnce).toBeLessThanOrEqual(5);
    // One of a sweep and one that the engine wakes, and as many before this count is set back.
    expect(inOneTurn).toBeLessThanOrEqual(4);
  }
  expect(reports().reduce((sum, { opened }) => sum + opened, 0)).toBeGreaterThanOrEqual(RUNS);
});

it("Q5 a worker works on at most 100 runs at a time, if nobody says otherwise", async () => {
  const { env, store, reports } = await dueRuns();
  const { child, exit } = await worker(APP, { env });
  await until(async () => (await store.listRecoverable({ limit: 1 })).length === 0);
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
  const [report] = reports();
  expect(report?.atOnce).toBeGreaterThan(1);
  expect(report?.atOnce).toBeLessThanOrEqual(100);
});
