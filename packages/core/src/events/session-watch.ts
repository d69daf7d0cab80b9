import { soon } from "./doorbell.ts";
import type { StoredEvent } from "./event.ts";
import type { EventStore } from "./event-store.ts";
import type { LiveTail } from "./live-tail.ts";
import { type Answer, sharedQueries } from "./shared-queries.ts";

/** How often an idle session's readers ask the store where every append is heard: in case a wake-up was lost. */
const IDLE_MS = 60_000;

/** A session as all its readers in this process watch it. */
export interface SessionWatch {
  /** The last event that the store is known to have. */
  readonly seq: number;
  /** Counts the times at which the store has to be asked although nothing was heard. */
  readonly looks: number;
  /** Events after `cursor`. Readers at the same place share one query per wake-up. */
  ask(cursor: number): Promise<Answer>;
  /** Notes an event that a reader has read. */
  saw(event: StoredEvent): void;
}

/** What the readers of sessions have in common. */
export interface SessionWatches {
  /** Calls `ring` whenever there may be something new, until `leave` is called. `afterSeq` is where the reader begins. */
  join(sessionId: string, afterSeq: number, ring: () => void): { watch: SessionWatch; leave(): void };
}

interface Source {
  store: EventStore;
  tail: LiveTail;
  /** How often to ask where appends of other processes are not heard, in milliseconds. */
  pollMs: number;
}

/** Watches each session once, as long as it has readers. */
export function sessionWatches(source: Source): SessionWatches {
  const watched = new Map<string, ReturnType<typeof watchSession>>();
  const later = afterThisTurn();
  return {
    join(sessionId, afterSeq, ring) {
      const one = watched.get(sessionId) ?? watchSession(source, sessionId, later);
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

/** Runs functions once, after everything that is ready to run, all together. */
function afterThisTurn(): (work: () => void) => void {
  const waiting = new Set<() => void>();
  const run = () => {
    const due = [...waiting];
    waiting.clear();
    for (const work of due) work();
  };
  return (work) => {
    if (waiting.size === 0) soon(run);
    waiting.add(work);
  };
}

function watchSession({ store, tail, pollMs }: Source, sessionId: string, later: (work: () => void) => void) {
  const rings = new Set<() => void>();
  const queries = sharedQueries(store, sessionId);
  // An append that is not announced, e.g. of a process that died right after it, is missed for a minute at most, and for
  // `pollMs` in a run that the readers know to be in progress.
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
    // What was stored while nothing could be heard is missing.
    heard = !heard;
    look();
    timer.set();
  };
  const leaveTail = tail.subscribe(sessionId, onChange);
  // The tail announces this runtime's own appends right behind them, with their rows: only others are asked for.
  const onForeignAppend = () => {
    if (rings.size > 0 && tail.peek(sessionId).seq < seq) onChange();
  };
  const leaveStore = store.watch?.(sessionId, (stored) => {
    seq = Math.max(seq, stored);
    later(onForeignAppend);
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
    ask(cursor: number): Promise<Answer> {
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

/** Whether a run is in progress after this event, as far as the events that were read tell. */
function runsAfter(event: StoredEvent, before: boolean): boolean {
  switch (event.type) {
    case "run_suspended":
      return false;
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

/** Calls back whenever nothing was heard for so long. One timer serves many: it is set for the rest of the time. */
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
