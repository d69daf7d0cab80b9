import { get } from "node:http";
import { type Agent, type EventStore, type ModelClient, PawlError, type Runtime } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import type { WorkerReport } from "./desk.ts";
import { type AGENT, killedAgent } from "./story.ts";
import { type SendReport, watchStore, withOverrides } from "./watch-store.ts";

/** The names of the environment variables by which the harness reaches a worker's program. */
export const ENV = {
  desk: "PAWL_KILLS_DESK",
  model: "PAWL_KILLS_MODEL",
  worker: "PAWL_KILLS_WORKER",
  leaseTtlMs: "PAWL_KILLS_LEASE_TTL_MS",
  concurrency: "PAWL_KILLS_CONCURRENCY",
} as const;

/** What the program of a worker needs that `killWorkers()` kills and freezes. */
export interface KilledWorker {
  /** The base URL of the simulated Messages API. */
  readonly modelUrl: string;
  /** The API key of requests to it. It tells the harness which worker sent a request. */
  readonly apiKey: string;
  /** The `leaseTtlMs` for the worker's runtime. */
  readonly leaseTtlMs: number;
  /** The `concurrency` for the worker's runtime: one worker can take over all runs. */
  readonly concurrency: number;
  /**
   * Returns the agent of all runs. `model` is a client of the Messages API at `modelUrl`, with `apiKey`.
   */
  agent(model: ModelClient): Agent<unknown, typeof AGENT>;
  /** Returns the engine with reports of the sessions that it gives to this worker. */
  watchEngine(engine: Engine): Engine;
  /** Returns the store with reports of its leases and appends to the harness. */
  watchStore(store: EventStore): EventStore;
  /**
   * Calls `start()` of the worker's runtime, and reports it to the harness. The process exits if the harness
   * is gone.
   */
  start(runtime: Runtime<typeof AGENT>): void;
}

/**
 * Connects the program of a worker to `killWorkers()`, which has started it.
 *
 * @throws PawlError `config` without the environment variables that `startWorker` gets.
 * @example
 * ```ts compile
 * import { claude } from "@pawl/anthropic";
 * import { runtime } from "@pawl/core";
 * import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
 * import { killedWorker } from "@pawl/testing/kills";
 *
 * const worker = killedWorker();
 * const { apiKey, modelUrl: baseURL, concurrency, leaseTtlMs } = worker;
 * const agents = [worker.agent(claude("claude-sonnet-5-5", { baseURL, apiKey }))];
 * const store = worker.watchStore(sqliteStore(nodeSqlite("kills.db")));
 * worker.start(runtime({ agents, store, concurrency, times: { leaseTtlMs } })); // and the engine
 * ```
 */
export function killedWorker(): KilledWorker {
  const [desk, modelUrl, worker] = [read(ENV.desk), read(ENV.model), read(ENV.worker)];
  const post = async (report: WorkerReport, signal?: AbortSignal) => {
    const body = JSON.stringify(report);
    const response = await fetch(desk, { method: "POST", body, ...(signal && { signal }) });
    await response.arrayBuffer();
  };
  let working: Promise<void> = Promise.resolve();
  const send: SendReport = (report) => post({ ...report, worker } as WorkerReport).catch(() => undefined);
  return {
    modelUrl,
    apiKey: worker,
    leaseTtlMs: Number(read(ENV.leaseTtlMs)),
    concurrency: Number(read(ENV.concurrency)),
    agent: (model) =>
      killedAgent(model, ({ signal, ...step }) => post({ kind: "step", worker, ...step }, signal)),
    watchStore: (store) => watchStore(store, send),
    watchEngine: (engine) => {
      const begun = Promise.withResolvers<void>();
      working = begun.promise;
      const work: Engine["work"] = async (handler, options) => {
        const watched: typeof handler = async (woken) => {
          const { sessionId } = woken;
          await send({ kind: "given", sessionId });
          await handler(woken);
          await send({ kind: "done", sessionId });
        };
        const started = await engine.work(watched, options);
        begun.resolve();
        return started;
      };
      return withOverrides(engine, { work });
    },
    start: (runtime) => {
      runtime.start();
      const gone = () => process.exit(1);
      const live = () => {
        const request = get(`${desk}/life?worker=${worker}`, (life) => life.resume().on("close", gone));
        request.on("error", gone);
      };
      // Runs that begin earlier are found by the first sweep, and not by the engine.
      void working.then(live);
    },
  };
}

function read(variable: string): string {
  const value = new Map(Object.entries(process.env)).get(variable);
  if (value !== undefined) return value;
  throw new PawlError(
    "config",
    `killedWorker() needs the environment variable ${variable}: pass the \`env\` that \`startWorker\` gets to the worker's process.`,
  );
}
