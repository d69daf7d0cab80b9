import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { checkOptions, type EventStore, type OptionKinds, runtime } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import { scriptedModel } from "../models/scripted-model.ts";
import { openDesk } from "./desk.ts";
import { newGuard } from "./guard.ts";
import type { KillReport } from "./kill-report.ts";
import { newRecords, type Records } from "./records.ts";
import { reportOf } from "./report-of.ts";
import { simulatedModel } from "./simulated-model.ts";
import { killedAgent } from "./story.ts";
import { travel } from "./travellers.ts";
import { makeTrouble } from "./trouble.ts";
import { ENV } from "./worker.ts";
import { newWorkers } from "./workers.ts";

/** An engine under test, with a store and the program of its workers. */
export interface WorkerFleet {
  /** The store of all processes, as this process opens it. */
  store: EventStore;
  /**
   * The engine, as a process has it that takes requests and works on none. Default: no engine, the workers
   * find the runs by their sweeps.
   */
  engine?: Engine;
  /**
   * Starts the program of a worker in a process of its own. The program calls `killedWorker()`, which needs
   * `env` among its environment variables. Called once for each worker, and again for each one that was
   * killed.
   */
  startWorker(env: Readonly<Record<string, string>>): ChildProcess | Promise<ChildProcess>;
  /** The duration of leases in the workers, in milliseconds. Default: 10,000, as in `runtime()`. */
  leaseTtlMs?: number;
}

/** How many runs and kills there are. */
export interface KillOptions {
  /** The least number of runs to start. Default: 300. */
  runs?: number;
  /** How many runs may be in progress at a time. Default: 20. */
  atATime?: number;
  /** How many workers there are. Default: 3. */
  workers?: number;
  /** The time between two kills, in milliseconds. Default: 1,000. */
  killEveryMs?: number;
  /**
   * How many kills. More runs are started until there were that many. Default: they go on until the last run
   * has ended.
   */
  kills?: number;
  /** How many times a worker is frozen, likewise. */
  freezes?: number;
  /** How long a run may take, in milliseconds. Default: 120,000. */
  patienceMs?: number;
}

const from = (least: number) => ({
  mustBe: `a whole number from ${least}`,
  is: (value: unknown) => Number.isInteger(value) && Number(value) >= least,
});

const FLEET: OptionKinds<WorkerFleet> = {
  store: "object!",
  engine: "object",
  startWorker: "function!",
  leaseTtlMs: from(1),
};
const OPTIONS: OptionKinds<KillOptions> = {
  runs: from(1),
  atATime: from(1),
  workers: from(1),
  killEveryMs: from(1),
  kills: from(0),
  freezes: from(0),
  patienceMs: from(1),
};

/** How long to wait for an engine after the last run, in milliseconds. It may lose wakes. */
const REDELIVERY_MS = 20_000;

/** Leaves all runs to the sweeps of the workers. */
const NO_ENGINE: Engine = {
  wake: async () => undefined,
  cancel: async () => undefined,
  work: async () => ({ stop: async () => undefined }),
};

/**
 * Kills and freezes the workers of an engine, and reports what this did to their runs. Starts workers, and
 * runs of six turns with tools and a question. Every second a random worker is killed by SIGKILL and another
 * one is started, if one is left that can take over. At the same time, one worker after the other is frozen
 * by SIGSTOP until its sessions have been taken over, at least for a lease and a quarter.
 *
 * Every run must end. No step whose result is in the log may be made again, no effect may happen twice, no
 * request to the model may be invalid, and a worker that comes back after it has lost its lease may not
 * append.
 * `faults` has what went wrong. A worker's tools and models are the harness's; see `killedWorker()`.
 *
 * Needs processes that can be stopped by a signal, so it does not run on Windows.
 *
 * @throws PawlError `config` for unknown and missing options. Rejects if a worker does not start.
 * @example
 * ```ts compile
 * import { spawn } from "node:child_process";
 * import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
 * import { killWorkers } from "@pawl/testing/kills";
 *
 * const { faults, takeoverMs } = await killWorkers({
 *   store: sqliteStore(nodeSqlite("kills.db")),
 *   leaseTtlMs: 2_000,
 *   startWorker: (env) => spawn(process.execPath, ["worker.js"], { env: { ...process.env, ...env } }),
 * });
 * console.log(takeoverMs.p95, faults);
 * ```
 */
export async function killWorkers(fleet: WorkerFleet, options: KillOptions = {}): Promise<KillReport> {
  checkOptions("killWorkers()", fleet, FLEET);
  checkOptions("the second argument of killWorkers()", options, OPTIONS);
  const { runs = 300, atATime = 20, workers: count = 3, patienceMs = 120_000 } = options;
  const { store, engine = NO_ENGINE, leaseTtlMs = 10_000 } = fleet;
  const records = newRecords();
  const guard = newGuard(records, store);
  const api = await simulatedModel(guard);
  const ready = (worker: string) => workers.ready(worker);
  const desk = await openDesk({ records, onReady: ready, onStep: guard.onStep });
  const workers = newWorkers(records, store, (worker) =>
    fleet.startWorker({
      [ENV.desk]: desk.url,
      [ENV.model]: api.url,
      [ENV.worker]: worker,
      [ENV.leaseTtlMs]: String(leaseTtlMs),
      [ENV.concurrency]: String(atATime),
    }),
  );
  const agents = [killedAgent(scriptedModel([]), () => Promise.reject(new Error("no tool runs here")))];
  const front = runtime({
    agents,
    store,
    engine,
    concurrency: 0,
    times: { pollMs: 250 },
    // What fails here is found by a sweep of a worker.
    onError: () => undefined,
  });
  const startedAt = performance.now();
  try {
    await Promise.all(Array.from({ length: count }, workers.start));
    await workers.untilReady(patienceMs);
    const trouble = makeTrouble(workers, { leaseTtlMs, ...options });
    const ids: string[] = [];
    const nextId = (traveller: number) => {
      // Two at a time are enough to have somebody to kill.
      if (ids.length >= runs && (traveller > 1 || !trouble.isMissing())) return undefined;
      const id = `run-${ids.length}-${randomUUID()}`;
      ids.push(id);
      return id;
    };
    await travel({ front, store, records, nextId, atATime, patienceMs });
    const done = await trouble.end();
    await untilDelivered(records);
    const logs = await Promise.all(ids.map((id) => Array.fromAsync(store.read(id))));
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    return reportOf({ counts: { ...done, seconds }, wanted: options, records, guard, api, logs });
  } finally {
    await front.drain({ timeoutMs: 0 });
    await workers.close();
    await desk.close();
    await api.close();
  }
}

/** Waits, but not for ever, until the engine has given all sessions of killed workers to other ones. */
async function untilDelivered({ undelivered }: Records): Promise<void> {
  const endsAt = performance.now() + REDELIVERY_MS;
  while (undelivered.size > 0 && performance.now() < endsAt) await sleep(100);
}
