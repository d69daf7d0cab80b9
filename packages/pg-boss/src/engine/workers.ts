import type { EngineWorker, WokenHandler } from "@pawl/core/store";
import type { Job, PgBoss } from "pg-boss";
import { POLL_SECONDS } from "./queue.ts";
import type { WakeJob } from "./wakes.ts";

/** Starts `concurrency` workers, each of which does one job at a time. */
export async function startWorkers(
  boss: PgBoss,
  queue: string,
  handler: WokenHandler,
  concurrency: number,
): Promise<EngineWorker> {
  const ids = await Promise.all(Array.from({ length: concurrency }, () => startOne(boss, queue, handler)));
  return {
    stop: async () => {
      await Promise.all(ids.map((id) => boss.offWork(queue, { id, wait: true })));
    },
  };
}

async function startOne(boss: PgBoss, queue: string, handler: WokenHandler): Promise<string> {
  const options = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS };
  const started = Promise.withResolvers<string>();
  const work = async ([job]: Job<WakeJob>[]) => {
    try {
      if (job !== undefined) await handler({ sessionId: job.data.sessionId, signal: job.signal });
    } finally {
      // By itself a worker waits for its next poll, also if more jobs wait.
      boss.notifyWorker(await started.promise);
    }
  };
  const id = await boss.work<WakeJob>(queue, options, work);
  started.resolve(id);
  return id;
}
