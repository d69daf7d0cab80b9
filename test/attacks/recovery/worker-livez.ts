import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { NODE_FLAGS } from "../../support/node-flags.ts";
import { until } from "../../support/until.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";
import { storeOpenRuns } from "../parts/open-runs.ts";

const RUNS = 300;
const WORKER = new URL("../../../packages/cli/src/command/main.ts", import.meta.url).pathname;
const APP = new URL("../parts/answering-app.ts", import.meta.url).pathname;

export const attack: Attack = {
  id: "attacks-20b",
  title: "/livez of a worker with many open runs does not answer until it has continued all of them",
  state: "held",
  guard: {
    file: "test/many-due-runs.test.ts",
    title: "two workers answer while they begin many due runs over SQLite",
  },
  limits: { ms: 120_000 },
  async attempt({ folder }) {
    const [file, report] = [join(folder, "log.db"), join(folder, "report")];
    const db = new DatabaseSync(file, { timeout: 5_000 });
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    await storeOpenRuns(sqliteStore(nodeSqlite(db)), RUNS);
    const args = [...NODE_FLAGS, WORKER, "worker", APP, "--port", "0", "--host", "127.0.0.1"];
    const env = { ...process.env, DB: file, REPORT: report };
    const worker = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    worker.stdout.on("data", (chunk) => {
      output += chunk;
    });
    await until(() => /port \d+/.test(output));
    const open = db.prepare("SELECT count(*) AS n FROM agent_sessions WHERE open_run IS NOT NULL");
    await until(() => Number(open.get()?.n) === 0);
    const livez = await fetch(`http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}/livez`);
    if (livez.status !== 200) throw new Error(`/livez answered ${livez.status}.`);
    worker.kill("SIGTERM");
    await once(worker, "exit");
    const longestMs = Number(readFileSync(report, "utf8"));
    return brokenIf(longestMs > 300, `${RUNS} open runs: silent for ${longestMs} ms of processor time`);
  },
};
