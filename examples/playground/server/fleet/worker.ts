// The module that `pawl worker` loads. The server starts such processes, see `worker-process.ts`.
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Runtime, runtime } from "@pawl/core";
import { withMetrics } from "@pawl/otel";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { gardener } from "./agent.ts";
import { FREEZE, idOf, type WorkerSettings } from "./settings.ts";

const { name, file, stepMs, leaseMs, strandedMs, places }: WorkerSettings = JSON.parse(
  process.env.FLEET ?? "{}",
);
const db = nodeSqlite(file);

export const pawl: Runtime<"gardener"> = runtime({
  agents: [gardener({ stepMs })],
  store: withMetrics(sqliteStore(db), { strandedAfterMs: strandedMs }),
  times: { leaseTtlMs: leaseMs },
  concurrency: places,
  testing: { newId: () => idOf(name) },
});

export function close(): void {
  db.close();
}

// SQLite blocks this thread while it writes. So the process never freezes within a transaction, which would
// make all others wait for it.
process.on("message", (message) => {
  if (message === FREEZE) process.kill(process.pid, "SIGSTOP");
});
// The server has gone, however it ended. Nobody reads the log any more.
process.once("disconnect", () => {
  rmSync(dirname(file), { recursive: true, force: true });
  process.exit(0);
});
