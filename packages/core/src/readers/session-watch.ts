import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import { waitsForTime } from "../log/expiry.ts";
import type { LiveTail } from "../log/live-tail.ts";
import { type QueryAnswer, sharedQueries } from "./shared-queries.ts";

/**
 * Poll interval in milliseconds for idle sessions if every append is reported, in case one report is lost.
 */
const IDLE_MS = 60_000;

/** Notifies all readers of a session in this process, and shares their queries. */
export interface SessionWatch {
  /** `seq` of the last event that is known to be in the store. */
  readonly seq: number;
  /** The number of polls that have been due so far. */
  readonly looks: number;
  /** Returns events after `cursor`. Readers with the same cursor share one query per wake-up. */
  ask(cursor: number): Promise<QueryAnswer>;
  /** Records an event that a reader has read. */
  saw(event: StoredEvent): void;
}

/** The watches of all sessions that have readers. */
export interface SessionWatches {
  /**
   * Calls `ring` whenever there may be something new, until `leave` is called. `afterSeq` is the reader's
   * starting point.
   */
  join(sessionId: string, afterSeq: number, ring: () => void): { watch: SessionWatch; leave(): void };
}

interface WatchSource {
  store: EventStore;
  tail: LiveTail;
  /** Poll interval in milliseconds while appends of other processes are not reported. */
  pollMs: number;
}

/** Creates the watches of a process: one for each session, as long as the session has readers. */
export function sessionWatches(source: WatchSource): SessionWatches {
  const watched = new Map<string, ReturnType<typeof watchSession>>();
  return {
    join(sessionId, afterSeq, ring) {
      const one = watched.get(sessionId) ?? watchSession(source, sessionId);
      watched.set(sessionId, one);
      one.rings.add(ring);
      one.begin(afterSeq);
      const leave = () => {
        one.rings.delete(ring);
        if (one.rings.size > 0 || watched.get(sessionId) !== one) return;
        watched.delete(sessionId);
        one.close();
      };
      return { watch: one, leave };
    },
  };
}

function watchSession({ store, tail, pollMs }: WatchSource, sessionId: string) {
  const rings = new Set<() => void>();
  const queries = sharedQueries(store, sessionId);
  // An append may go unannounced, e.g. if its process died right after it. Readers find it within a minute,
  // or within `pollMs` if they know that a run is in progress.
  const hears = store.watch === undefined ? () => tail.listening === true : () => true;
  let heard = hears();
  let runs = false;
  let readSeq = 0;
  let seq = 0;
  let looks = 0;

  const isIdle = () => !runs && Math.max(seq, tail.peek(sessionId).seq) <= readSeq;
  const timer = quietTimer(
    () => (heard && isIdle() ? Math.max(pollMs, IDLE_MS) : pollMs),
    () => look(),
  );
  const wake = () => {
    queries.forget();
    for (const ring of rings) ring();
  };
  const look = () => {
    looks += 1;
    wake();
  };
  const onChange = () => {
    timer.heard();
    if (heard === hears()) return wake();
    // Events that were stored while the tail was not listening are missing.
    heard = !heard;
    look();
    timer.set();
  };
  const leaveTail = tail.subscribe(sessionId, onChange);
  const leaveStore = store.watch?.(sessionId, (stored) => {
    seq = Math.max(seq, stored);
    // Readers wake in the next turn. By then the tail has announced this runtime's own appends, with their
    // rows, so that only appends of others need a query. During a run in this process nearly all appends are
    // the run's, and its next notification covers the others too.
    const { live, seq: announced } = tail.peek(sessionId);
    if (live === undefined && announced < seq) onChange();
  });
  return {
    rings,
    get seq() {
      return seq;
    },
    get looks() {
      return looks;
    },
    begin(afterSeq: number) {
      readSeq = Math.max(readSeq, afterSeq);
      timer.set();
    },
    ask(cursor: number): Promise<QueryAnswer> {
      return queries.ask(cursor).finally(timer.set);
    },
    saw(event: StoredEvent) {
      if (event.seq <= readSeq) return;
      readSeq = event.seq;
      const running = runsAfter(event, runs);
      if (running === runs) return;
      runs = running;
      timer.set();
    },
    close() {
      leaveStore?.();
      leaveTail();
      timer.close();
    },
  };
}

/** Returns whether a run is in progress after this event, judging by the events read so far. */
export function runsAfter(event: StoredEvent, before: boolean): boolean {
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
      return before;
  }
}

/**
 * Calls `onQuiet` whenever `heard` was not called for `afterMs()` milliseconds. `heard` does not reset the
 * timer; when the timer fires, it is set again for the time left.
 */
function quietTimer(afterMs: () => number, onQuiet: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAt = 0;
  let heardAt = performance.now();
  const set = () => {
    const at = heardAt + afterMs();
    if (timer !== undefined && timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(ended, Math.max(0, at - performance.now()));
  };
  const ended = () => {
    timer = undefined;
    if (performance.now() >= heardAt + afterMs()) {
      heardAt = performance.now();
      onQuiet();
    }
    set();
  };
  return {
    set,
    heard: () => {
      heardAt = performance.now();
    },
    close: () => clearTimeout(timer),
  };
}
