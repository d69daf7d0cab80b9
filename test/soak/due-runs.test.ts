import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { agent, type EventStore, runtime } from "@pawl/core";
import { localEngine } from "@pawl/core/store";
import { migrate, postgresStore } from "@pawl/postgres";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { storeOpenRuns } from "../attacks/parts/open-runs.ts";
import { bundled } from "../support/bundled.ts";
import type { WorkerReport } from "../support/due-runs-app.ts";
import { ofType } from "../support/invariants.ts";
import { NODE_FLAGS } from "../support/node-flags.ts";
import { pause } from "../support/pause.ts";
import { postgresServer } from "../support/postgres-server.ts";
import { soak } from "../support/soak.ts";
import { until } from "../support/until.ts";

const RUNS = soak(100, 4_000);
/** How long the model takes for one run of a worker that finds all the others meanwhile. */
const LONG_MS = soak(1_000, 25_000);

const main = await bundled(new URL("../../packages/cli/src/command/main.ts", import.meta.url).pathname);
const APP = new URL("../support/due-runs-app.ts", import.meta.url).pathname;

/** Starts a worker, and asks its `/livez` until the worker ends. */
async function startWorker(env: Record<string, string>) {
  const args = [...NODE_FLAGS, main, "worker", APP, "--port", "0", "--host", "127.0.0.1"];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await until(() => /port \d+/.test(output));
  const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}/livez`;
  const seen = { asked: 0, slow: 0, longestMs: 0 };
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      const begun = performance.now();
      expect((await fetch(url)).status).toBe(200);
      const ms = performance.now() - begun;
      seen.asked += 1;
      if (ms > 1_000) seen.slow += 1;
      seen.longestMs = Math.max(seen.longestMs, ms);
      await pause(50, "an orchestrator asks now and then");
    }
  })();
  // Read in the end. Until then, a failure must not end the process.
  probing.catch(() => undefined);
  const stop = async () => {
    isOver = true;
    await probing;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  };
  return { seen, stop };
}

/** Where the runs are, and how many of them are open. */
interface Database {
  /** What the workers open. */
  DB: string;
  store: EventStore;
  countOpen(): Promise<number>;
}

const OPEN = "SELECT count(*) AS n FROM agent_sessions WHERE open_run IS NOT NULL";

async function sqliteFile(folder: string): Promise<Database> {
  const DB = join(folder, "log.db");
  const database = new DatabaseSync(DB, { timeout: 5_000 });
  onTestFinished(() => database.close());
  // This process waits for no disk, so that it keeps no lock from the workers while it stores the runs.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  const store = sqliteStore(nodeSqlite(database));
  return { DB, store, countOpen: async () => Number(database.prepare(OPEN).get()?.n) };
}

async function postgres(): Promise<Database> {
  const server = await postgresServer();
  onTestFinished(() => server.remove());
  const pool = new pg.Pool({ connectionString: server.url(), max: 8 });
  onTestFinished(() => pool.end());
  await migrate(pool);
  const countOpen = async () => Number((await pool.query(OPEN)).rows[0].n);
  return { DB: server.url(), store: postgresStore(pool), countOpen };
}

it.each([
  ["SQLite", sqliteFile],
  ["Postgres", postgres],
])(
  `B8 Q5 two workers with ${RUNS} due runs over %s answer /livez within a second, and keep their leases`,
  async (name, databaseIn) => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-due-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { DB, store, countOpen } = await databaseIn(folder);
    const env = { DB, REPORT: join(folder, "reports"), LONG_MS: String(LONG_MS) };
    const front = runtime({
      agents: [agent({ name: "a", instructions: "i", model: scriptedModel([]) })],
      store,
      engine: localEngine(),
      concurrency: 0,
    });
    const long = front.run("a", { userId: "ada", input: "long" });
    long.result.catch(() => undefined);
    const { sessionId } = await long.started;
    const first = await startWorker(env);
    const isAsked = async () =>
      ofType(await Array.fromAsync(store.read(sessionId)), "llm_request").length > 0;
    await until(isAsked);
    await storeOpenRuns(store, RUNS);
    const second = await startWorker(env);
    const begun = performance.now();
    while ((await countOpen()) !== 0) await pause(200, "between two looks at all runs");
    const seconds = Math.round((performance.now() - begun) / 1_000);
    await first.stop();
    await second.stop();
    await front.drain();
    const requests = ofType(await Array.fromAsync(store.read(sessionId)), "llm_request").length;
    const reports = readFileSync(env.REPORT, "utf8").trim().split("\n");
    const counts = reports.map((line) => JSON.parse(line) as WorkerReport);
    const most = (name: keyof WorkerReport) => Math.max(...counts.map((one) => one[name]));
    const slow = first.seen.slow + second.seen.slow;
    const longestMs = Math.round(Math.max(first.seen.longestMs, second.seen.longestMs));
    soak.report(
      `${RUNS} due runs, two workers over ${name}: all over after ${seconds} s, ${first.seen.asked + second.seen.asked} probes of /livez, ${slow} of them answered after more than a second, the slowest after ${longestMs} ms; at most ${most("inOneTurn")} runs begun in one turn of the event loop and ${most("atOnce")} at once; the event loop stood still for at most ${most("silentMs")} ms of processor time; the long run asked the model ${requests} time(s)`,
    );
    expect(requests).toBe(1);
    expect(most("atOnce")).toBeLessThanOrEqual(100);
    // In processor time: on a busy machine, a probe also waits for the disk and for other processes.
    expect(most("silentMs")).toBeLessThan(1_000);
    expect(slow).toBeLessThanOrEqual((first.seen.asked + second.seen.asked) / 50);
  },
);
