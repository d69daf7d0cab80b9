import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { HoldOptions } from "../../loop/leg/session-log.ts";
import { eventsOf } from "./held-events.ts";
import { holdEvents, writeEvents } from "./session-writer.ts";
import { isRefused, notAsHeld, type Writer } from "./writer.ts";

/** Writes to a log, one job at a time. */
interface WriteQueue {
  /** Stores events. Those that wait at the same time are stored in one append. */
  join(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Holds events once the jobs before it are done. */
  hold(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /** Runs a job that is stored together with nothing: no later events are stored before it. */
  alone<T>(job: () => Promise<T>): Promise<T>;
  /** Runs a job that stores nothing of its own, so that events may still join the ones before it. */
  inTurn<T>(job: () => Promise<T>): Promise<T>;
}

/** Makes the queue of a leg's writer. */
export function newWriteQueue(writer: Writer): WriteQueue {
  const inTurn = turns();
  let joinable: Append[] | undefined;
  const join = (given: Pick<Append, "events" | "held">): Promise<readonly StoredEvent[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly StoredEvent[]>();
    const one = { ...given, resolve, reject };
    if (joinable !== undefined) {
      joinable.push(one);
      return promise;
    }
    const group: Append[] = [one];
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
      // If no job is queued, holds synchronously. A turn holds twice, so this saves promises.
      if (inTurn.isIdle() && held.mayWait?.() !== false) holdEvents(writer, events, held);
      else if (held.atTip === true) await alone(async () => holdAtTip(writer, events, { ...held, lastSeq }));
      else await join({ events, held });
    },
    alone,
    inTurn: (job) => doInTurn(inTurn, job),
  };
}

/** Holds events, unless another process has stored something after `lastSeq`. */
function holdAtTip(
  writer: Writer,
  events: readonly NewEvent[],
  held: HoldOptions & { lastSeq: number },
): void {
  if (writer.state.lastSeq === held.lastSeq) holdEvents(writer, events, held);
  else held.outcome?.reject(notAsHeld());
}

/** Events that wait to be appended, and the functions that settle their caller's promise. */
interface Append {
  events: readonly NewEvent[];
  /** How the events may be held. Default: they are stored at once. */
  held?: HoldOptions;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/**
 * Stores waiting appends as one, e.g. the results of tools that finish together. If the store refuses them
 * because of one append, each is stored separately. If all of them may be held, holds them.
 */
async function storeGroup(writer: Writer, group: readonly Append[]): Promise<void> {
  if (group.every(({ held }) => held !== undefined && held.mayWait?.() !== false)) {
    for (const one of group) holdOne(writer, one);
    return;
  }
  try {
    const rows = await writeEvents(writer, eventsOf(group));
    let at = 0;
    for (const { events, held, resolve } of group) {
      const own = rows.slice(at, at + events.length);
      at += events.length;
      held?.outcome?.resolve(own);
      resolve(own);
    }
  } catch (error) {
    if (group.length > 1 && isRefused(error)) for (const one of group) await storeGroup(writer, [one]);
    else for (const one of group) refuseOne(one, error);
  }
}

function holdOne(writer: Writer, one: Append): void {
  try {
    holdEvents(writer, one.events, { outcome: one.held?.outcome });
    one.resolve([]);
  } catch (error) {
    refuseOne(one, error);
  }
}

function refuseOne({ held, reject }: Append, error: unknown): void {
  held?.outcome?.reject(error);
  reject(error);
}

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
