import { PawlError } from "../base/errors.ts";
import { applyEvent } from "../fold/apply.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { EventStore, Lease } from "../log/event-store.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { ownRows } from "../log/own-rows.ts";
import { patchOf } from "../log/row-patch.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Writes a leg's events to the log, one append at a time, and folds each into the state once it is stored.
 * Events that arrive during an append are stored together in the next one.
 */
export interface SessionLog {
  readonly state: SessionState;
  /** Appends under the lease. Appends that wait at the same time are stored together. */
  append(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Appends under the lease if the log still ends where the caller has seen its end. `false`: it does not,
   * and nothing was stored; the state has caught up, and the caller decides again. Such an append is never
   * joined with others.
   */
  appendAtTip(events: readonly NewEvent[], options?: AtTip): Promise<boolean>;
  /** Folds in what others have stored. */
  catchUp(): Promise<void>;
}

/** Options of an append at the tip. */
interface AtTip {
  /** The last event that the caller has seen when it decided; default: the last one in the state now. */
  seq?: number;
  /** Gives the lease back in the same statement. */
  release?: boolean;
}

/** Opens the log for one leg. `onEvent` is called in order with every event that was not in `state`. */
export function openLog(options: {
  store: EventStore;
  tail: LiveTail;
  state: SessionState;
  lease: Lease;
  newId(): string;
  onEvent(event: StoredEvent): void;
}): SessionLog {
  const { store, tail, state, lease, newId, onEvent } = options;
  const leg = newId();
  let appends = 0;
  const inTurn = turns();

  const take = (event: StoredEvent) => {
    applyEvent(state, event);
    onEvent(event);
  };
  const readNew = async (before = Number.POSITIVE_INFINITY) => {
    for await (const event of store.read(state.sessionId, { afterSeq: state.lastSeq })) {
      if (event.seq >= before) return;
      take(event);
    }
  };
  const write = async (
    events: readonly NewEvent[],
    { afterSeq, release = false }: WriteOptions = {},
  ): Promise<readonly StoredEvent[]> => {
    appends += 1;
    try {
      const stored = await store.append(state.sessionId, events, {
        appendId: `${leg}:${appends}`,
        lease,
        session: patchOf(events),
        ...(afterSeq !== undefined && { afterSeq }),
        ...(release && { release }),
      });
      // Tool and model calls rely on this very append, not on other events stored under its id.
      const rows = ownRows(state.sessionId, events, stored);
      const first = rows[0]?.seq ?? 0;
      if (first > state.lastSeq + 1) await readNew(first);
      for (const row of rows) take(row);
      tail.stored(state.sessionId, state.lastSeq, rows);
      return rows;
    } catch (error) {
      if (afterSeq !== undefined) await readNew();
      throw error;
    }
  };
  let joinable: Append[] | undefined;
  const join = (events: readonly NewEvent[]): Promise<readonly StoredEvent[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly StoredEvent[]>();
    const one = { events, resolve, reject };
    if (joinable !== undefined) {
      joinable.push(one);
      return promise;
    }
    const group: Append[] = [one];
    joinable = group;
    inTurn(() => {
      if (joinable === group) joinable = undefined;
      return writeGroup(group, write);
    });
    return promise;
  };
  const appendAtTip: SessionLog["appendAtTip"] = (events, { seq = state.lastSeq, release = false } = {}) => {
    // Later appends must not join an earlier group and overtake this one.
    joinable = undefined;
    return doInTurn(inTurn, () => isStored(state, seq, write(events, { afterSeq: seq, release })));
  };
  return { state, append: join, appendAtTip, catchUp: () => doInTurn(inTurn, () => readNew()) };
}

/** Whether an append at the tip was stored. If not, the state has caught up. */
async function isStored(state: SessionState, seq: number, written: Promise<unknown>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    // If the key was already taken when the caller decided, to decide again would not help.
    const takenMeanwhile = PawlError.is(error, "key_taken") && state.lastSeq > seq;
    if (takenMeanwhile || PawlError.is(error, "conflict")) return false;
    throw error;
  }
}

type Job = () => Promise<void>;

/**
 * Runs jobs one at a time; jobs never reject. Even the first starts in a microtask, so that appends made in
 * the same tick can join its batch.
 */
function turns(): (work: Job) => void {
  const waiting: Job[] = [];
  const next = (): void => void waiting[0]?.().then(over);
  const over = (): void => {
    waiting.shift();
    next();
  };
  return (work) => {
    if (waiting.push(work) === 1) queueMicrotask(next);
  };
}

/** Queues a job and returns its result. */
function doInTurn<T>(inTurn: (work: Job) => void, work: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  inTurn(() => work().then(resolve, reject));
  return promise;
}

interface WriteOptions {
  afterSeq?: number;
  release?: boolean;
}

/** Events that wait for their turn, and the promise of their caller. */
interface Append {
  events: readonly NewEvent[];
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/**
 * Stores appends that came while the log was busy as one, e.g. the results of tools that finish together. If
 * the whole is refused because of one of them, each is tried alone.
 */
async function writeGroup(
  group: readonly Append[],
  write: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>,
): Promise<void> {
  try {
    const [first] = group;
    if (first !== undefined && group.length === 1) return first.resolve(await write(first.events));
    const rows = await write(group.flatMap(({ events }) => events));
    let at = 0;
    for (const { events, resolve } of group) {
      resolve(rows.slice(at, at + events.length));
      at += events.length;
    }
  } catch (error) {
    const refused = PawlError.is(error, "key_taken") || PawlError.is(error, "invalid_input");
    if (group.length === 1 || !refused) for (const { reject } of group) reject(error);
    else for (const one of group) await writeGroup([one], write);
  }
}
