import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { SessionState } from "../../session/state.ts";

/**
 * A leg's log. A leg stores two kinds of events:
 *
 * - Facts have happened, e.g. an answer of the model or a result. They are stored even if other processes
 *   have stored events in the meantime.
 * - Decisions follow from the state, e.g. a request or the end of the run. They are stored only if the held
 *   events in the state are stored as they were held.
 *
 * Events may be held: they are in the state, and the next append stores them first. Before the barrier has
 * stored them, no code of the application may run, and nothing outside of the process may learn of them.
 */
export interface SessionLog {
  /** The state of the session, with the held events. */
  readonly state: SessionState;
  /** `seq` of the last stored event in the state. Held events follow it. */
  readonly storedSeq: number;
  /** Whether an append has given the run to the engine, and so released the lease. */
  readonly isGivenAway: boolean;
  /** Stores facts, under the lease. Facts that wait at the same time are stored in one append. */
  add(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * Holds facts for the next append. If it is unknown whether that append stored them, every later call
   * rejects with the store's error.
   */
  holdFacts(events: readonly NewEvent[], options?: HoldOptions): Promise<void>;
  /**
   * Begins a decision: remembers the current version of the state. The decision becomes void when an event of
   * this state turns out to be missing in the log, or to have another number there.
   */
  beginDecision(): void;
  /** Whether the latest decision is void. */
  readonly isVoid: boolean;
  /**
   * Stores the events of the latest decision, in one append after the held events. Rejects with
   * `DECIDE_AGAIN` if the decision is void. The decision is also void if another process has stored something
   * before the held events. These are then stored, and `events` are not.
   */
  storeDecision(events: readonly NewEvent[]): Promise<readonly StoredEvent[]>;
  /** Holds the events of the latest decision. Does nothing if the decision is void. */
  holdDecision(events: readonly NewEvent[]): Promise<void>;
  /**
   * The barrier: stores the held events. Returns `undefined` if the caller need not wait, because nothing is
   * held. Rejects with `DECIDE_AGAIN` if the latest decision is then void, or the run may not call the
   * application.
   */
  barrier(): Promise<void> | undefined;
  /**
   * Stores events if the log has none after `options.seq`, and the latest decision is not void. Otherwise
   * stores none of them, catches up, and resolves to `false`: the caller must decide again.
   */
  appendAtTip(events: readonly NewEvent[], options?: AtTip): Promise<boolean>;
  /** Applies the events that other processes have stored. */
  catchUp(): Promise<void>;
  /** Returns the held events that could not be stored, e.g. because another process has the session. */
  unstored(): readonly NewEvent[];
}

/** Options of `hold`. */
export interface HoldOptions {
  /**
   * Called when the events could be stored. If it returns `false`, they are stored at once. Default: they are
   * held.
   */
  mayWait?(): boolean;
  /**
   * Whether the events are dropped if another process stores something first. `outcome` is then rejected with
   * `conflict`. Default: no.
   */
  atTip?: boolean;
  /** Settled once the events are stored or refused. Default: if they are refused, the next append rejects. */
  outcome?: HeldOutcome;
}

/** Options of `appendAtTip`. */
export interface AtTip extends Pick<WriteOptions, "release" | "giveAway"> {
  /**
   * `seq` of the last event on which the caller's decision is based. Default: the last event in the state.
   */
  seq?: number;
}

/** The resolvers of a promise that settles once held events are stored or refused. */
export interface HeldOutcome {
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: unknown): void;
}

/** Conditions of an append. */
export interface WriteOptions {
  /** Stores none of the events unless this is the log's last `seq`. Default: stores them in any case. */
  afterSeq?: number;
  /** Whether the same append also releases the lease. Default: no. */
  release?: boolean;
  /**
   * Called in the transaction of the append, which then also releases the lease. If the store has no
   * transactions, or the function rejects, the events are stored without it and the lease is kept. Default:
   * not called.
   */
  giveAway?: ((transaction: unknown) => Promise<void>) | undefined;
}
