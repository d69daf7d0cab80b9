import type { StoredEvent } from "../log/event.ts";
import { waitsForTime } from "../log/expiry.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import { QuietTimer } from "./quiet-timer.ts";
import { type QueryAnswer, type SharedQueries, sharedQueries } from "./shared-queries.ts";

/**
 * How often the store is queried for an idle session whose appends are all reported, in milliseconds. The
 * query finds an append whose report was lost.
 */
const IDLE_MS = 60_000;

/** Notifies all readers of a session in this process, and shares their queries. */
export interface SessionWatch {
  /** `seq` of the last event that is known to be in the store. */
  readonly seq: number;
  /** The number of polls that have been due so far. */
  readonly looks: number;
  /**
   * Queries the store for events after `cursor`. Readers with the same cursor share one query per wake-up.
   */
  ask(cursor: number): Promise<QueryAnswer>;
  /** Records an event that a reader has read. */
  saw(event: StoredEvent): void;
}

/** The watches of all sessions that have readers. */
export interface SessionWatches {
  /**
   * Calls `ring` whenever the session may have new events or live text. The reader starts after `afterSeq`.
   */
  join(sessionId: string, afterSeq: number, ring: () => void): SessionWatch;
  /** Stops calling `ring`. */
  leave(sessionId: string, ring: () => void): void;
}

interface WatchSource {
  store: EventStore;
  tail: LiveTail;
  /** Poll interval in milliseconds while appends of other processes are not reported. */
  pollMs: number;
}

/** Creates the watches of a process: one for each session, as long as the session has readers. */
export function sessionWatches(source: WatchSource): SessionWatches {
  const watched = new Map<string, WatchedSession>();
  return {
    join(sessionId, afterSeq, ring) {
      const watch = watched.get(sessionId) ?? new WatchedSession(source, sessionId);
      watched.set(sessionId, watch);
      watch.rings.add(ring);
      watch.begin(afterSeq);
      return watch;
    },
    leave(sessionId, ring) {
      const watch = watched.get(sessionId);
      watch?.rings.delete(ring);
      if (watch === undefined || watch.rings.size > 0) return;
      watched.delete(sessionId);
      watch.close();
    },
  };
}

// A class, so that the watches of idle sessions share their functions: there may be many thousands.
class WatchedSession implements SessionWatch {
  readonly rings = new Set<() => void>();
  seq = 0;
  looks = 0;
  readonly #source: WatchSource;
  readonly #sessionId: string;
  readonly #timer: QuietTimer;
  readonly #leaveTail: () => void;
  readonly #leaveStore: (() => void) | undefined;
  #queries: SharedQueries | undefined;
  /** Whether all appends are reported, as of the last notification. */
  #isReported: boolean;
  /** Whether a run is in progress, judging by the events that readers have read. */
  #runs = false;
  /** `seq` of the last event that a reader has read. */
  #readSeq = 0;

  constructor(source: WatchSource, sessionId: string) {
    const { store, tail } = source;
    this.#source = source;
    this.#sessionId = sessionId;
    this.#isReported = this.#isReportedNow();
    this.#timer = new QuietTimer(this);
    this.#leaveTail = tail.subscribe(sessionId, () => this.#onChange());
    this.#leaveStore = store.watch?.(sessionId, (stored) => this.#onStored(stored));
  }

  begin(afterSeq: number): void {
    this.#readSeq = Math.max(this.#readSeq, afterSeq);
    this.#timer.set();
  }

  ask(cursor: number): Promise<QueryAnswer> {
    this.#queries ??= sharedQueries(this.#source.store, this.#sessionId);
    return this.#queries.ask(cursor).finally(() => this.#timer.set());
  }

  saw(event: StoredEvent): void {
    if (event.seq <= this.#readSeq) return;
    this.#readSeq = event.seq;
    const runs = runsAfter(event, this.#runs);
    if (runs === this.#runs) return;
    this.#runs = runs;
    this.#timer.set();
  }

  /** Returns after how many milliseconds without a notification the readers query the store. */
  afterMs(): number {
    const { pollMs } = this.#source;
    return this.#isReported && this.#isIdle() ? Math.max(pollMs, IDLE_MS) : pollMs;
  }

  /** Makes the readers query the store. */
  onQuiet(): void {
    this.looks += 1;
    this.#wake();
  }

  close(): void {
    this.#leaveStore?.();
    this.#leaveTail();
    this.#timer.close();
  }

  /** Returns whether this process is notified of all appends, also of those by other processes. */
  // A notification may still be missing, e.g. if a process died right after an append. Readers find that
  // append within a minute, or within `pollMs` if they know that a run is in progress.
  #isReportedNow(): boolean {
    const { store, tail } = this.#source;
    return store.watch !== undefined || tail.listening === true;
  }

  #isIdle(): boolean {
    const { tail } = this.#source;
    return !this.#runs && Math.max(this.seq, tail.peek(this.#sessionId).seq) <= this.#readSeq;
  }

  #wake(): void {
    this.#queries = undefined;
    for (const ring of this.rings) ring();
  }

  #onChange(): void {
    this.#timer.heard();
    if (this.#isReported === this.#isReportedNow()) this.#wake();
    else {
      // Query the store: events that were stored while the tail was not listening were not reported.
      this.#isReported = !this.#isReported;
      this.onQuiet();
      this.#timer.set();
    }
  }

  #onStored(stored: number): void {
    this.seq = Math.max(this.seq, stored);
    // Does nothing if the tail has announced the event, or while a run is in progress in this process
    // (`live`): nearly all appends are then the run's own, and its next notification covers those of others
    // too. Otherwise wakes the readers. They look in the next turn of the event loop. If the append was this
    // runtime's own, the tail has its events by then, and the readers need no query.
    const { live, seq: announced } = this.#source.tail.peek(this.#sessionId);
    if (live === undefined && announced < this.seq) this.#onChange();
  }
}

/** Returns whether a run is in progress after this event, judging by the events read so far. */
export function runsAfter(event: StoredEvent, ranBefore: boolean): boolean {
  switch (event.type) {
    case "run_suspended":
      return waitsForTime(event.data);
    case "run_ended":
      return event.data.next !== undefined;
    case "run_started":
    case "run_recovered":
    case "llm_request":
    case "tool_started":
    case "tool_answered":
      return true;
    default:
      return ranBefore;
  }
}
