import { PawlError } from "../base/errors.ts";
import { applyEvent } from "../fold/apply.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { EventStore, Lease } from "../log/event-store.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { ownRows } from "../log/own-rows.ts";
import { patchOf } from "../log/row-patch.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Appends a leg's events to the log, one append at a time, and applies each stored event to the state. Events
 * that arrive during an append are stored together in the next one.
 */
export interface SessionLog {
  readonly state: SessionState;
  /** Returns events in the form in which they are stored, e.g. without credentials. */
  asStored(events: readonly NewEvent[]): readonly NewEvent[];
  /** Appends events under the lease. Waiting appends are stored together. */
  append(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Appends events under the lease if no event was stored after `options.seq`. Otherwise nothing is stored,
   * the state catches up, and the promise resolves to `false`: the caller must decide again. Such an append
   * is never stored together with others.
   */
  appendAtTip(events: readonly NewEvent[], options?: AtTip): Promise<boolean>;
  /** Applies the events that other processes have stored. */
  catchUp(): Promise<void>;
}

/** Options of `appendAtTip`. */
interface AtTip {
  /**
   * `seq` of the last event on which the caller's decision is based. Default: the last event in the state.
   */
  seq?: number;
  /** Whether the same append also releases the lease. Default: no. */
  release?: boolean;
}

/**
 * Opens the log for one leg. `onEvent` is called for every new event, in order. `prepare` returns events in
 * the form in which they are stored.
 */
export function openLog(options: {
  store: EventStore;
  tail: LiveTail;
  state: SessionState;
  lease: Lease;
  newId(): string;
  prepare?(events: readonly NewEvent[]): readonly NewEvent[];
  onEvent(event: StoredEvent): void;
}): SessionLog {
  const { store, tail, state, lease, newId, prepare = (events) => events, onEvent } = options;
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
      // Callers start tools and model calls after this append, so it must have stored exactly these events.
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
    const one = { events: prepare(events), resolve, reject };
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
    // Closes the open group: a later append that joined it would be stored before this one.
    joinable = undefined;
    const prepared = prepare(events);
    return doInTurn(inTurn, () => isStored(state, seq, write(prepared, { afterSeq: seq, release })));
  };
  return {
    state,
    asStored: prepare,
    append: join,
    appendAtTip,
    catchUp: () => doInTurn(inTurn, () => readNew()),
  };
}

/**
 * Resolves to `true` once an append is stored. Resolves to `false` if it was refused because the log had
 * newer events, which are then in the state.
 */
async function isStored(state: SessionState, seq: number, written: Promise<unknown>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    // A key that was taken before the caller decided is an error: deciding again would not help.
    const takenMeanwhile = PawlError.is(error, "key_taken") && state.lastSeq > seq;
    if (takenMeanwhile || PawlError.is(error, "conflict")) return false;
    throw error;
  }
}

type Job = () => Promise<void>;

/**
 * Runs jobs one at a time. Jobs never reject. Even the first job starts in a microtask, so that appends of
 * the same tick can join its group.
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

/** Events that wait to be appended, and the functions that settle their caller's promise. */
interface Append {
  events: readonly NewEvent[];
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/**
 * Stores waiting appends as one, e.g. the results of tools that finish together. If the store refuses them
 * because of one append, each is stored separately.
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
