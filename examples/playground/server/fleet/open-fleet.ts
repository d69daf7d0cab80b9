import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventStore, runtime } from "@pawl/core";
import { localEngine } from "@pawl/core/store";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import type { FleetMetrics, FleetView } from "../../web/fleet/fleet-view.ts";
import { gardener } from "./agent.ts";
import type { WorkerMetrics } from "./metrics.ts";
import { runLog } from "./run-log.ts";
import type { WorkerSettings } from "./settings.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

/** How workers work: times in milliseconds. */
export interface Pace extends Pick<WorkerSettings, "stepMs" | "leaseMs" | "strandedMs" | "places"> {}

/** Workers over one SQLite file, and a runtime that takes messages for them. */
export interface OpenFleet {
  readonly workers: readonly WorkerProcess[];
  /** The number of runs that were sent. */
  readonly sent: number;
  start(): void;
  send(userId: string, count: number): Promise<void>;
  /** Asks the workers, and reads the log. */
  look(): Promise<Pick<FleetView, "metrics" | "workers" | "runs">>;
  /** Kills the workers and deletes the file. */
  close(): Promise<void>;
}

/** The names of workers, with different first letters. */
const NAMES = ["Robin", "Wren", "Finch", "Heron", "Lark", "Swift", "Jay", "Dove", "Owl", "Kite", "Magpie"];

/** As many waiting runs are counted as a worker counts. */
const MOST = 1_000;

/** No run is read here while it runs, so the log is not polled for it. */
const NO_POLLING_MS = 3_600_000;

/** Creates the file. `command` is the file of the command `pawl`. */
export function openFleet(command: string, pace: Pace, onError: (error: unknown) => void): OpenFleet {
  const dir = mkdtempSync(join(tmpdir(), "pawl-fleet-"));
  const file = join(dir, "log.db");
  const db = nodeSqlite(file);
  const store = sqliteStore(db);
  // This process only takes messages. Nobody works for its engine: the workers find them by their sweeps.
  const front = runtime({
    agents: [gardener(pace)],
    store,
    concurrency: 0,
    engine: localEngine(),
    times: { leaseTtlMs: pace.leaseMs, pollMs: NO_POLLING_MS },
    onError,
  });
  const workers: WorkerProcess[] = [];
  const readRuns = runLog(db);
  let sent = 0;
  return {
    workers,
    get sent() {
      return sent;
    },
    start: () => {
      const name = nameAt(workers.length);
      const worker = startWorker(command, { ...pace, name, file });
      workers.push(worker);
      void worker.exited.then(() => {
        if (worker.state === "failed") onError(new Error(`The worker ${name} ended: ${worker.lastWords}`));
      });
    },
    send: async (userId, count) => {
      sent += count;
      for (let i = 0; i < count; i += 1)
        await front.run("gardener", { userId, input: "Please water the beds." }).started;
    },
    look: async () => {
      const answers = await Promise.all(workers.map((worker) => worker.ask()));
      const asked = answers.flatMap((answer) => answer?.metrics ?? []);
      return {
        metrics: {
          ...totals(workers.flatMap(({ last }) => last ?? [])),
          active: sum(asked, "active"),
          ...(asked.length > 0 ? mostWaiting(asked) : await countWaiting(store, pace)),
        },
        workers: workers.map(({ name, state, lastWords }, index) => ({
          name,
          state,
          why: state === "failed" ? lastWords : null,
          ready: answers[index]?.ready ?? null,
          active: answers[index]?.metrics.active ?? null,
        })),
        runs: readRuns(),
      };
    },
    close: async () => {
      for (const worker of workers) if (worker.isAlive) worker.kill();
      await Promise.all(workers.map(({ exited }) => exited));
      await front.drain({ timeoutMs: 0 });
      db.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function nameAt(index: number): string {
  const round = Math.floor(index / NAMES.length);
  return `${NAMES[index % NAMES.length]}${round === 0 ? "" : ` ${round + 1}`}`;
}

function sum(all: readonly WorkerMetrics[], name: keyof WorkerMetrics): number {
  return all.reduce((total, one) => total + one[name], 0);
}

/** What has happened so far, in workers that have ended too. */
function totals(all: readonly WorkerMetrics[]): Pick<FleetMetrics, "takeovers" | "wakes" | "wakeSeconds"> {
  const wakes = sum(all, "wakes");
  return {
    takeovers: sum(all, "takeovers"),
    wakes,
    wakeSeconds: wakes === 0 ? 0 : sum(all, "wakeSeconds") / wakes,
  };
}

type Waiting = Pick<FleetMetrics, "waiting" | "stranded">;

/** Each worker counts the runs of all. */
function mostWaiting(asked: readonly WorkerMetrics[]): Waiting {
  return {
    waiting: Math.max(...asked.map(({ waiting }) => waiting)),
    stranded: Math.max(...asked.map(({ stranded }) => stranded)),
  };
}

/** Counts as the workers do, if none of them answers. */
async function countWaiting(store: EventStore, { strandedMs }: Pace): Promise<Waiting> {
  const rows = await store.listRecoverable({ limit: MOST });
  const before = Date.now() - strandedMs;
  return {
    waiting: rows.length,
    stranded: rows.filter(({ updatedAt }) => Date.parse(updatedAt) < before).length,
  };
}
