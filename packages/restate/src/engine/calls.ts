import type { EngineWorker, WokenHandler } from "@pawl/core/store";

/**
 * How long a session waits for a place in this process, in milliseconds. Then another process may take it.
 * Each session that waits is an open request of Restate, which has at most 1,000 at a time by default.
 */
const WAIT_MS = 2_000;

/** The calls of handlers in this process. */
export interface Calls {
  /** Adds a worker with `concurrency` places. */
  add(handler: WokenHandler, concurrency: number): EngineWorker;
  /**
   * Calls a worker's handler for the session once a place is free, and resolves to `true` once it has
   * returned. Resolves to `false` if no place became free.
   */
  call(sessionId: string, signal: AbortSignal): Promise<boolean>;
}

interface Worker {
  handler: WokenHandler;
  free: number;
  active: Set<Promise<void>>;
}

/** Makes the calls of a process, which has no workers yet. */
export function newCalls(): Calls {
  const workers = new Set<Worker>();
  /** The sessions that wait for a place, in the order of their coming. */
  const line = new Set<(worker: Worker | undefined) => void>();
  const atWork = new Map<string, Promise<void>>();
  /** Whether the last worker has stopped. A new process may have no worker yet. */
  let isOver = false;

  const takePlace = (): Worker | undefined => {
    const worker = [...workers].find(({ free }) => free > 0);
    if (worker !== undefined) worker.free -= 1;
    return worker;
  };
  const serveLine = () => {
    for (const next of line) {
      const worker = takePlace();
      if (worker === undefined) return;
      next(worker);
    }
  };
  const waitForPlace = (signal: AbortSignal): Promise<Worker | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Worker | undefined>();
    const leave = () => next(undefined);
    const timer = setTimeout(leave, WAIT_MS);
    signal.addEventListener("abort", leave, { once: true });
    const next = (worker: Worker | undefined) => {
      line.delete(next);
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      resolve(worker);
    };
    line.add(next);
    return promise;
  };
  const callOf = async (worker: Worker, sessionId: string, signal: AbortSignal): Promise<void> => {
    const call = worker.handler({ sessionId, signal });
    // A handler does not reject. If one does, Restate tries again.
    const over = call.catch(() => undefined);
    worker.active.add(over);
    atWork.set(sessionId, over);
    try {
      await call;
    } finally {
      worker.active.delete(over);
      atWork.delete(sessionId);
      worker.free += 1;
      serveLine();
    }
  };
  return {
    add: (handler, concurrency) => {
      const worker: Worker = { handler, free: concurrency, active: new Set() };
      workers.add(worker);
      isOver = false;
      serveLine();
      return {
        stop: async () => {
          workers.delete(worker);
          isOver = workers.size === 0;
          if (isOver) for (const next of line) next(undefined);
          await Promise.all(worker.active);
        },
      };
    },
    call: async (sessionId, signal) => {
      // If the connection to Restate was lost, the call before this one is still being aborted.
      while (atWork.has(sessionId)) await atWork.get(sessionId);
      if (signal.aborted || isOver) return false;
      const worker = takePlace() ?? (await waitForPlace(signal));
      if (worker === undefined) return false;
      await callOf(worker, sessionId, signal);
      return true;
    },
  };
}
