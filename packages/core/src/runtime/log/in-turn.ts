type Job = () => Promise<void>;

/** Adds a job. */
interface Turns {
  (work: Job): void;
  /** Whether no job waits or runs. */
  isIdle(): boolean;
}

/**
 * Runs jobs one at a time. Jobs never reject. Even the first job starts in a microtask, so that appends of
 * the same tick can join its group.
 */
export function turns(): Turns {
  const waiting: Job[] = [];
  const next = (): void => void waiting[0]?.().then(over);
  const over = (): void => {
    waiting.shift();
    next();
  };
  const add = (work: Job): void => {
    if (waiting.push(work) === 1) queueMicrotask(next);
  };
  return Object.assign(add, { isIdle: () => waiting.length === 0 });
}

/** Queues a job and returns its result. */
export function doInTurn<T>(inTurn: (work: Job) => void, work: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  inTurn(() => work().then(resolve, reject));
  return promise;
}
