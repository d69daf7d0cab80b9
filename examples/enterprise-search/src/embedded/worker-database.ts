import { Worker } from "node:worker_threads";
import type { Queryable } from "@pawl/postgres";
import type { BuildProgress } from "../data/index.ts";
import type { Order, Report, WorkerSettings } from "./protocol.ts";

/** A database in a thread of its own. */
export interface WorkerDatabase extends Queryable {
  /** Resolves once the index is built. Rejects if it cannot be, or the thread ended before. */
  ready: Promise<void>;
  /** Copies the agents that people have made into their file. */
  copyAgents(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(result: { rows: unknown[] }): void;
  reject(error: Error): void;
}

/** Starts the thread. `onEnd` is called when the thread has ended, for any reason. */
export function workerDatabase(
  settings: WorkerSettings,
  { onProgress, onEnd }: { onProgress(progress: BuildProgress): void; onEnd(): void },
): WorkerDatabase {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: settings });
  const waiting = new Map<number, Waiting>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // A caller that does not wait for `ready` need not handle its rejection.
  ready.promise.catch(() => undefined);
  let asked = 0;
  let broken: string | undefined;
  let isReady = false;
  let isOver = false;
  const send = (order: Order) => worker.postMessage(order);
  worker.on("message", (report: Report) => {
    if (report.type === "broken") broken = report.message;
    if (report.type === "progress") {
      onProgress(report.progress);
      if (report.progress.stage === "ready") {
        isReady = true;
        ready.resolve();
      }
    }
    if (report.type !== "rows" && report.type !== "failed") return;
    const one = waiting.get(report.id);
    waiting.delete(report.id);
    if (report.type === "rows") one?.resolve({ rows: report.rows });
    else one?.reject(Object.assign(new Error(report.message), report.code && { code: report.code }));
  });
  worker.on("error", (error) => {
    broken = error instanceof Error ? error.message : String(error);
  });
  worker.on("exit", () => {
    isOver = true;
    const error = new Error(`The index is closed: ${broken ?? "its thread has ended"}.`);
    ready.reject(error);
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
    onEnd();
    ended.resolve();
  });
  const ask = async (order: (id: number) => Order): Promise<{ rows: unknown[] }> => {
    await ready.promise;
    if (isOver) throw new Error("The index is closed.");
    asked += 1;
    const id = asked;
    return await new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send(order(id));
    });
  };
  return {
    ready: ready.promise,
    query: async (text, values = []) => await ask((id) => ({ type: "query", id, text, values })),
    copyAgents: async () => void (await ask((id) => ({ type: "copy-agents", id }))),
    close: async () => {
      // A thread that is still building is ended at once. What it has stored is kept.
      if (isReady) send({ type: "close" });
      else await worker.terminate();
      await ended.promise;
    },
  };
}
