import { PawlError } from "../base/errors.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { doInTurn, turns } from "./in-turn.ts";
import {
  holdEvents,
  isRefused,
  makeSure,
  newWriter,
  readOthers,
  type Writer,
  type WriterParts,
  writeEvents,
} from "./session-writer.ts";

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
  /**
   * Applies events to the state, and leaves them to the next append, which stores them first: they and what
   * follows from them travel together. For events that mean the same whenever they are stored. Nothing that
   * is outside the program may learn of them, and no code of the application's may run, before they are
   * stored: see `storeHeld()`. Stores them at once if `mayWait` returns `false` when it is their turn.
   */
  hold(events: readonly NewEvent[], mayWait?: () => boolean): Promise<void>;
  /** Whether events are held. */
  readonly isHolding: boolean;
  /**
   * Stores the held events. Resolves to `false` if another process had stored something before them: the
   * caller must decide again.
   */
  storeHeld(): Promise<boolean>;
  /**
   * Raised whenever held events got other numbers than they had in the state, because another process had
   * stored something before them, or could not be stored. What was decided before that is void.
   */
  readonly revision: number;
  /**
   * Appends events that were decided at `revision`. While events are held, nothing may have been stored
   * after the last event that the leg has read. Resolves to `undefined` if the caller must decide again; then
   * the held events are stored, and these are not.
   */
  appendAt(revision: number, events: readonly NewEvent[]): Promise<readonly StoredEvent[] | undefined>;
  /** Returns the held events that are not stored, e.g. because another process has taken over the session. */
  unstored(): readonly NewEvent[];
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

/** What a leg's log is made of. `prepare` returns events in the form in which they are stored. */
interface LogParts extends WriterParts {
  prepare?(events: readonly NewEvent[]): readonly NewEvent[];
}

/** Opens the log for one leg. */
export function openLog({ prepare = (events) => events, ...parts }: LogParts): SessionLog {
  const writer = newWriter(parts);
  const { state } = parts;
  const inTurn = turns();
  let joinable: Append[] | undefined;
  const join = (given: Pick<Append, "events" | "mayWait">): Promise<readonly StoredEvent[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly StoredEvent[]>();
    const one = { ...given, events: prepare(given.events), resolve, reject };
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
  /** Does what must not join the open group: a later append that joined it would be stored before this. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    joinable = undefined;
    return doInTurn(inTurn, work);
  };
  return {
    state,
    asStored: prepare,
    append: (events) => join({ events }),
    appendAtTip: (events, { seq = state.lastSeq, release = false } = {}) => {
      const prepared = prepare(events);
      return alone(async () => {
        const written = writeEvents(writer, prepared, { afterSeq: seq, release });
        return (await unlessOvertaken(state, seq, written)) !== undefined;
      });
    },
    hold: async (events, mayWait = () => true) => {
      // With nothing in its way it need not wait for its turn. A turn holds twice, so this saves promises.
      if (inTurn.isIdle() && writer.sureUpTo === undefined && mayWait()) holdEvents(writer, prepare(events));
      else await join({ events, mayWait });
    },
    get isHolding() {
      return writer.held.length > 0;
    },
    storeHeld: () =>
      alone(async () => {
        const { revision } = writer;
        await writeEvents(writer, []);
        return writer.revision === revision;
      }),
    get revision() {
      return writer.revision;
    },
    appendAt: (revision, events) => {
      const prepared = prepare(events);
      return alone(async () => {
        if (writer.revision !== revision) return undefined;
        if (writer.held.length === 0) return await writeEvents(writer, prepared);
        const seq = state.lastSeq;
        return await unlessOvertaken(state, seq, writeEvents(writer, prepared, { afterSeq: seq }));
      });
    },
    unstored: () => [...writer.lost, ...writer.held.map(({ event }) => event)],
    catchUp: () => doInTurn(inTurn, () => readOthers(writer)),
  };
}

/**
 * Resolves to what was written. Resolves to `undefined` if it was refused because the log had newer events
 * than `seq`, which are then in the state.
 */
async function unlessOvertaken<T>(
  state: SessionState,
  seq: number,
  written: Promise<T>,
): Promise<T | undefined> {
  try {
    return await written;
  } catch (error) {
    // A key that was taken before the caller decided is an error: deciding again would not help.
    const takenMeanwhile = PawlError.is(error, "key_taken") && state.lastSeq > seq;
    if (takenMeanwhile || PawlError.is(error, "conflict")) return undefined;
    throw error;
  }
}

/** Events that wait to be appended, and the functions that settle their caller's promise. */
interface Append {
  events: readonly NewEvent[];
  /** Returns whether the events may be held. Default: no. */
  mayWait?: () => boolean;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/**
 * Stores waiting appends as one, e.g. the results of tools that finish together. If the store refuses them
 * because of one append, each is stored separately. If all of them may be held, holds them.
 */
async function storeGroup(writer: Writer, group: readonly Append[]): Promise<void> {
  try {
    const events = group.length === 1 ? (group[0]?.events ?? []) : group.flatMap((one) => one.events);
    const isHeld = group.every(({ mayWait }) => mayWait?.() === true);
    if (isHeld) await makeSure(writer);
    if (isHeld) holdEvents(writer, events);
    const rows = isHeld ? [] : await writeEvents(writer, events);
    let at = 0;
    for (const one of group) {
      one.resolve(rows.slice(at, at + one.events.length));
      at += one.events.length;
    }
  } catch (error) {
    if (group.length === 1 || !isRefused(error)) for (const { reject } of group) reject(error);
    else for (const one of group) await storeGroup(writer, [one]);
  }
}
