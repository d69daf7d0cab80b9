import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { HoldOptions } from "../../loop/leg/session-log.ts";
import { eventsOf } from "./held-events.ts";
import { holdEvents, writeEvents } from "./session-writer.ts";
import { isRefused, notAsHeld, type Writer } from "./writer.ts";

/** Writes to a log, one job at a time. */
interface WriteQueue {
  /** Stores events. Events that wait at the same time are stored in one append. */
  join(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Holds events once the earlier jobs are done. If `mayWait` returns `false`, stores them instead. */
  hold(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /** Runs a job by itself. Events of later `join` calls are stored after it, in another append. */
  alone<T>(job: () => Promise<T>): Promise<T>;
  /** Runs a job that stores no new events. Later events may still join an append that waits before it. */
  inTurn<T>(job: () => Promise<T>): Promise<T>;
}

/** Makes the queue of a leg's writer. */
export function newWriteQueue(writer: Writer): WriteQueue {
  const inTurn = newJobQueue();
  /** The appends of the last queued job, if more may join them. */
  let joinable: Append[] | undefined;
  const join = (append: Pick<Append, "events" | "held">): Promise<readonly StoredEvent[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly StoredEvent[]>();
    const waiting = { ...append, resolve, reject };
    if (joinable !== undefined) {
      joinable.push(waiting);
      return promise;
    }
    const group: Append[] = [waiting];
    joinable = group;
    inTurn(() => {
      if (joinable === group) joinable = undefined;
      return storeGroup(writer, group);
    });
    return promise;
  };
  const alone = <T>(job: () => Promise<T>): Promise<T> => {
    joinable = undefined;
    return doInTurn(inTurn, job);
  };
  return {
    join: (events) => join({ events }),
    hold: async (events, held = {}) => {
      const { lastSeq } = writer.state;
      // If no job waits or runs, holds synchronously. A leg holds twice in each turn, so this saves promises.
      if (inTurn.isIdle() && held.mayWait?.() !== false) holdEvents(writer, events, held);
      else if (held.atTip === true) await alone(async () => holdAtTip(writer, events, { ...held, lastSeq }));
      else await join({ events, held });
    },
    alone,
    inTurn: (job) => doInTurn(inTurn, job),
  };
}

/** Holds events. If the state has events after `lastSeq`, rejects their outcome with `conflict` instead. */
function holdAtTip(
  writer: Writer,
  events: readonly NewEvent[],
  held: HoldOptions & { lastSeq: number },
): void {
  if (writer.state.lastSeq === held.lastSeq) holdEvents(writer, events, held);
  else held.outcome?.reject(notAsHeld());
}

/** Events that wait to be appended, and the functions that settle the promise of the caller. */
interface Append {
  events: readonly NewEvent[];
  /** How the events may be held. Default: they are stored at once. */
  held?: HoldOptions;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/**
 * Holds the waiting appends if all of them may be held. Otherwise stores them as one append, e.g. the results
 * of tools that finish together. If the store refuses that, stores each of them separately.
 */
async function storeGroup(writer: Writer, group: readonly Append[]): Promise<void> {
  if (group.every(({ held }) => held !== undefined && held.mayWait?.() !== false)) {
    for (const append of group) holdAppend(writer, append);
    return;
  }
  try {
    const rows = await writeEvents(writer, eventsOf(group));
    let start = 0;
    for (const { events, held, resolve } of group) {
      const own = rows.slice(start, start + events.length);
      start += events.length;
      held?.outcome?.resolve(own);
      resolve(own);
    }
  } catch (error) {
    if (group.length > 1 && isRefused(error)) for (const append of group) await storeGroup(writer, [append]);
    else for (const append of group) rejectAppend(append, error);
  }
}

function holdAppend(writer: Writer, append: Append): void {
  try {
    holdEvents(writer, append.events, { outcome: append.held?.outcome });
    append.resolve([]);
  } catch (error) {
    rejectAppend(append, error);
  }
}

function rejectAppend({ held, reject }: Append, error: unknown): void {
  held?.outcome?.reject(error);
  reject(error);
}

type Job = () => Promise<void>;

/** A queue of jobs. */
interface JobQueue {
  /** Adds a job. */
  (job: Job): void;
  /** Whether no job waits or runs. */
  isIdle(): boolean;
}

/**
 * Makes a queue that runs jobs one at a time. Jobs must never reject. Even the first job starts in a
 * microtask, so that appends of the same tick can join its group.
 */
export function newJobQueue(): JobQueue {
  const waiting: Job[] = [];
  // The job that runs is the first in the list until it is done.
  const runFirst = (): void => void waiting[0]?.().then(runNext);
  const runNext = (): void => {
    waiting.shift();
    runFirst();
  };
  const add = (job: Job): void => {
    if (waiting.push(job) === 1) queueMicrotask(runFirst);
  };
  return Object.assign(add, { isIdle: () => waiting.length === 0 });
}

/** Queues a job. Settles as the job does. */
export function doInTurn<T>(inTurn: (job: Job) => void, job: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  inTurn(() => job().then(resolve, reject));
  return promise;
}
