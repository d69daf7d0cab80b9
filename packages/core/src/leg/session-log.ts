import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { DECIDE_AGAIN, unlessAgain } from "./decide-again.ts";
import { eventsOf } from "./held-events.ts";
import { holdEvents, readOthers, writeEvents } from "./session-writer.ts";
import { type HoldOptions, newWriteQueue } from "./write-queue.ts";
import { newWriter, unlessOvertaken, type WriteOptions, type WriterParts } from "./writer.ts";

/**
 * A leg's log. A leg stores two kinds of events. Facts have happened, e.g. an answer of the model or a
 * result: they are stored wherever the log is by then. Decisions follow from the state, e.g. a request or the
 * end of the run: they are stored only if the state was right.
 *
 * Events may be held: they are in the state, and the next append stores them first. Nothing outside may learn
 * of them, and no code of the application may run, before the barrier.
 */
export interface SessionLog {
  readonly state: SessionState;
  /** `seq` of the last event in the state that is stored. Held events follow it. */
  readonly storedSeq: number;
  /** Whether an append has given the run to the engine, and so released the lease. */
  readonly isGivenAway: boolean;
  /** Stores facts, under the lease. Facts that wait at the same time are stored in one append. */
  add(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Holds facts. If the store fails when they would be stored, nobody knows whether they were, and every
   * later call rejects with that error.
   */
  hold(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /**
   * Notes that the caller decides now, by this state. The decision is void once the log has other events than
   * the state had, or the same ones under other numbers.
   */
  decide(): void;
  /** Whether the last decision is void. */
  readonly isVoid: boolean;
  /**
   * Stores what follows from the last decision, in one append with what is held. Rejects with `DECIDE_AGAIN`
   * if the decision is void, also because another process has stored something before what is held. That is
   * stored then, and these events are not.
   */
  follow(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Holds what follows from the last decision. Does nothing if that is void. */
  holdNext(events: readonly NewEvent[]): Promise<void>;
  /**
   * The barrier: stores what is held. Returns `undefined` if nothing is, so that nobody has to wait. Rejects
   * with `DECIDE_AGAIN` if the last decision is void then.
   */
  barrier(): Promise<void> | undefined;
  /**
   * Stores events if the log has none after `options.seq`, and the last decision is not void. Otherwise
   * stores nothing, catches up, and resolves to `false`: the caller must decide again.
   */
  appendAtTip(events: readonly NewEvent[], options?: AtTip): Promise<boolean>;
  /** Applies the events that other processes have stored. */
  catchUp(): Promise<void>;
  /** Returns the held events that could not be stored, e.g. because another process has the session. */
  unstored(): readonly NewEvent[];
}

/** Options of `appendAtTip`. */
interface AtTip extends Pick<WriteOptions, "release" | "giveAway"> {
  /**
   * `seq` of the last event on which the caller's decision is based. Default: the last event in the state.
   */
  seq?: number;
}

/** What a leg's log is made of. `prepare` returns events in the form in which they are stored. */
interface LogParts extends WriterParts {
  prepare?(events: readonly NewEvent[]): readonly NewEvent[];
  /**
   * Returns what the barrier calls once everything is stored, if somebody else decides whether the run may
   * call the application. That rejects with `DECIDE_AGAIN` if it may not. Default: it may.
   */
  admit?(): (() => Promise<void>) | undefined;
}

/** Opens the log for one leg. */
export function openLog({ prepare = (events) => events, ...parts }: LogParts): SessionLog {
  const writer = newWriter(parts);
  const queue = newWriteQueue(writer);
  const { state } = parts;
  let decidedAt: number | undefined;
  const isVoid = () => decidedAt !== undefined && writer.revision !== decidedAt;
  const unlessVoid = () => {
    if (isVoid()) throw DECIDE_AGAIN;
  };
  return {
    state,
    get storedSeq() {
      return state.lastSeq - eventsOf(writer.held).length;
    },
    get isGivenAway() {
      return writer.isGivenAway;
    },
    add: (events) => queue.join(prepare(events)),
    hold: (events, options) => queue.hold(prepare(events), options),
    decide: () => {
      decidedAt = writer.revision;
    },
    get isVoid() {
      return isVoid();
    },
    follow: (events) => {
      const prepared = prepare(events);
      return queue.alone(async () => {
        unlessVoid();
        const seq = state.lastSeq;
        const tip = writer.held.length === 0 ? {} : { afterSeq: seq };
        const rows = await unlessOvertaken(state, seq, writeEvents(writer, prepared, tip));
        if (rows === undefined) throw DECIDE_AGAIN;
        return rows;
      });
    },
    holdNext: (events) => {
      const prepared = prepare(events);
      return queue.alone(async () => {
        if (!isVoid()) holdEvents(writer, prepared, { follows: true });
      });
    },
    barrier: () => {
      const admit = parts.admit?.();
      if (writer.held.length === 0 && !writer.isStale) return admit?.();
      const stored = queue.alone(async () => {
        await writeEvents(writer, []);
        unlessVoid();
      });
      return admit === undefined ? stored : stored.then(admit);
    },
    appendAtTip: (events, { seq = state.lastSeq, ...more } = {}) => {
      const revision = decidedAt ?? writer.revision;
      const prepared = prepare(events);
      return queue.alone(async () => {
        if (writer.revision !== revision) return false;
        const written = writeEvents(writer, prepared, { afterSeq: seq, ...more });
        return (await unlessOvertaken(state, seq, written)) !== undefined;
      });
    },
    catchUp: () =>
      queue.inTurn(async () => {
        await readOthers(writer).catch(unlessAgain);
      }),
    unstored: () => eventsOf(writer.held),
  };
}
