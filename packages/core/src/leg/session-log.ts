import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { eventsOf, type HeldOutcome } from "./held-events.ts";
import { doInTurn, turns } from "./in-turn.ts";
import { holdEvents, readOthers, writeEvents } from "./session-writer.ts";
import {
  isRefused,
  newWriter,
  unlessOvertaken,
  type WriteOptions,
  type Writer,
  type WriterParts,
} from "./writer.ts";

/**
 * Appends a leg's events to the log, one append at a time, and applies each stored event to the state. Events
 * that arrive during an append are stored together in the next one.
 */
export interface SessionLog {
  readonly state: SessionState;
  /** `seq` of the last event in the state that is stored. Held events follow it. */
  readonly storedSeq: number;
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
   * stored: see `storeHeld()`. If the store fails then, nobody knows whether they were stored, and every
   * later call rejects with that error.
   */
  hold(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /**
   * Holds events that were decided at `revision` and follow from what is held. If the held events get other
   * numbers or are refused, the new ones are dropped. Does nothing if the caller must decide again.
   */
  holdAt(revision: number, events: readonly NewEvent[]): Promise<void>;
  /** Whether events are held. */
  readonly isHolding: boolean;
  /** Whether an append has handed the session over, and so released the lease. */
  readonly isHandedOver: boolean;
  /**
   * Stores the held events. Resolves to `false` if another process had stored something before them: the
   * caller must decide again.
   */
  storeHeld(): Promise<boolean>;
  /**
   * Raised whenever held events were not stored under the numbers that they had in the state. What was
   * decided before that is void.
   */
  readonly revision: number;
  /**
   * Appends events that were decided at `revision`. While events are held, nothing may have been stored
   * after the last event that the leg has read. Resolves to `undefined` if the caller must decide again; then
   * the held events are stored, and these are not.
   */
  appendAt(revision: number, events: readonly NewEvent[]): Promise<readonly StoredEvent[] | undefined>;
  /** Returns the held events that could not be stored, e.g. because another process has the session. */
  unstored(): readonly NewEvent[];
  /** Applies the events that other processes have stored. */
  catchUp(): Promise<void>;
  /** Extends the lease, by `ttlMs` milliseconds from now. Resolves to whether it is still current. */
  renewLease(ttlMs: number): Promise<boolean>;
}

/** Options of `hold`. */
interface HoldOptions {
  /**
   * Called when the events would be written. If it returns `false`, they are stored at once. Default: they
   * are held.
   */
  mayWait?(): boolean;
  /** Settled once the events are stored, or were refused. Default: a refusal rejects the next append. */
  outcome?: HeldOutcome;
}

/** Options of `appendAtTip`. */
interface AtTip extends Pick<WriteOptions, "release" | "handOver"> {
  /**
   * `seq` of the last event on which the caller's decision is based. Default: the last event in the state.
   */
  seq?: number;
  /** The log's `revision` when the caller decided. Default: the current one. */
  revision?: number;
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
  const join = (given: Pick<Append, "events" | "held">): Promise<readonly StoredEvent[]> => {
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
  /**
   * Runs a job that must not join the open group. Closes the group, so that no later append is stored before
   * this job.
   */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    joinable = undefined;
    return doInTurn(inTurn, work);
  };
  return {
    state,
    get storedSeq() {
      return state.lastSeq - eventsOf(writer.held).length;
    },
    asStored: prepare,
    append: (events) => join({ events }),
    appendAtTip: (events, { seq = state.lastSeq, revision = writer.revision, ...more } = {}) => {
      const prepared = prepare(events);
      return alone(async () => {
        if (writer.revision !== revision) return false;
        const written = writeEvents(writer, prepared, { afterSeq: seq, ...more });
        return (await unlessOvertaken(state, seq, written)) !== undefined;
      });
    },
    hold: async (events, held = {}) => {
      // If no job is queued, holds synchronously. A turn holds twice, so this saves promises.
      if (inTurn.isIdle() && held.mayWait?.() !== false)
        holdEvents(writer, prepare(events), { outcome: held.outcome });
      else await join({ events, held });
    },
    holdAt: (revision, events) => {
      const prepared = prepare(events);
      return alone(async () => {
        if (writer.revision === revision) holdEvents(writer, prepared, { follows: true });
      });
    },
    get isHandedOver() {
      return writer.isHandedOver;
    },
    get isHolding() {
      return writer.held.length > 0;
    },
    // The revision of the caller's decision: an earlier job may store what is held, behind newer events.
    storeHeld: (revision = writer.revision) => alone(() => storeAllHeld(writer, revision)),
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
    unstored: () => eventsOf(writer.held),
    catchUp: () => doInTurn(inTurn, () => readOthers(writer)),
    renewLease: (ttlMs) => parts.store.renew(parts.lease, ttlMs),
  };
}

/** Stores the held events. Resolves to whether all since `revision` were stored under their numbers. */
async function storeAllHeld(writer: Writer, revision: number): Promise<boolean> {
  await writeEvents(writer, []);
  return writer.revision === revision;
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
