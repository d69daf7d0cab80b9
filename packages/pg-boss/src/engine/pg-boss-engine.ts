import { PawlError } from "@pawl/core";
import type { Engine, EngineWorker } from "@pawl/core/store";
import { reporter } from "@pawl/core/tools";
import type { Warning } from "pg-boss";
import { checkEngine, type PgBossEngineOptions } from "./options.ts";
import { makeBoss, prepareQueue } from "./queue.ts";
import { deleteWakes, sendWake } from "./wakes.ts";
import { startWorkers } from "./workers.ts";

/** An engine over pg-boss. */
export interface PgBossEngine extends Engine {
  /**
   * Stops the workers and waits for their calls. Closes the connections, unless a `boss` was given. Drain the
   * runtime first. Sessions whose calls take longer than 30 seconds are given to other processes.
   */
  close(): Promise<void>;
}

/**
 * Makes an engine that runs sessions in any process, by pg-boss on Postgres. If a process dies, another one
 * continues its sessions, at the latest `heartbeatSeconds` and 5 seconds later. It connects when it is first
 * used.
 *
 * A `transaction` of `wake()` is a client of `pg` after `BEGIN`, or anything with the same `query`.
 *
 * @throws PawlError `config` for options that do not fit. `wake()` and `work()` reject with the error of
 * pg-boss if the database fails, and with `config` if the queue exists with another policy.
 * @example
 * ```ts
 * import { pgBossEngine } from "@pawl/pg-boss";
 *
 * const engine = pgBossEngine({ connectionString: process.env.DATABASE_URL });
 * const { promise, resolve } = Promise.withResolvers<string>();
 * await engine.work(async ({ sessionId }) => resolve(sessionId), { concurrency: 10 });
 * await engine.wake("s1");
 * console.log(await promise); // s1
 * await engine.close();
 * ```
 */
export function pgBossEngine(options: PgBossEngineOptions): PgBossEngine {
  checkEngine(options);
  const { connectionString = "", queue = "pawl", heartbeatSeconds = 10 } = options;
  const { onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`) } = options;
  const boss = options.boss ?? makeBoss(connectionString);
  const isOwn = options.boss === undefined;
  let isClosed = false;
  // Its connections may end after `close()`, e.g. because the database is taken away. That concerns nobody.
  const tell = reporter("onError", onError);
  const report = (error: unknown) => {
    if (!isClosed) tell(error);
  };
  if (isOwn) {
    boss.on("error", report);
    boss.on("warning", ({ message }: Warning) => report(new Error(`pg-boss: ${message}`)));
  }
  const workers = new Set<EngineWorker>();
  let starting: Promise<void> | undefined;
  let isReady = false;
  const start = async () => {
    if (isOwn) await boss.start();
    await prepareQueue(boss, queue, heartbeatSeconds);
  };
  const ready = async () => {
    starting ??= start();
    try {
      await starting;
      isReady = true;
    } catch (error) {
      // The next call tries again.
      starting = undefined;
      throw error;
    }
  };
  return {
    get takesTransaction() {
      if (options.sameDatabase !== true) return false;
      // A transaction must not wait until pg-boss has started: it holds a connection of the store.
      if (!isReady) void ready().catch(() => undefined);
      return isReady;
    },
    wake: async (sessionId, given = {}) => {
      await ready();
      await sendWake(boss, queue, sessionId, given);
    },
    cancel: async (sessionId) => {
      await ready();
      await deleteWakes(boss, queue, sessionId);
    },
    work: async (handler, { concurrency }) => {
      await ready();
      const worker = await startWorkers(boss, queue, handler, concurrency);
      workers.add(worker);
      return worker;
    },
    close: async () => {
      await starting?.catch(() => undefined);
      if (isOwn) await boss.stop();
      else await Promise.all([...workers].map((worker) => worker.stop()));
      isClosed = true;
    },
  };
}
