/** What timers belong to: if it is gone they never fire, and while it is frozen they wait. */
export interface Owner {
  readonly isGone: boolean;
  /** Until when it stands still, in milliseconds of the timeline; 0 if it does not. */
  readonly frozenUntil: number;
}

/** Virtual time. It passes only from one event to the next. */
export interface Timeline {
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** Whose event is running, including the promises that it has settled. */
  readonly current: Owner | undefined;
  /** The number of events so far. */
  readonly events: number;
  /** Calls `then` in `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, then: () => void, owner?: Owner): () => void;
  /** Passes time until the function returns `true`, or no event is left. */
  run(isOver: () => boolean): Promise<void>;
}

interface Event {
  at: number;
  /** The number of the event. Events of one time run in this order. */
  readonly number: number;
  readonly then: () => void;
  readonly owner: Owner | undefined;
  isCancelled: boolean;
}

/** The real function: the one of the globals belongs to the timeline while a seed runs. */
const { setImmediate: inNextTurn } = globalThis;

/** Makes a timeline that begins at `start`, in milliseconds since 1970. */
export function newTimeline(start: number): Timeline {
  const heap = newHeap();
  let now = start;
  let number = 0;
  let ran = 0;
  let current: Owner | undefined;
  const settled = () => new Promise<void>((resolve) => void inNextTurn(resolve));
  return {
    now: () => now,
    get current() {
      return current;
    },
    get events() {
      return ran;
    },
    after: (ms, then, owner) => {
      if (ms === Number.POSITIVE_INFINITY) return () => undefined;
      number += 1;
      const event = { at: now + Math.max(0, ms), number, then, owner, isCancelled: false };
      heap.push(event);
      return () => {
        event.isCancelled = true;
      };
    },
    run: async (isOver) => {
      await settled();
      while (!isOver()) {
        const event = heap.pop();
        if (event === undefined) return;
        const { owner } = event;
        if (event.isCancelled || owner?.isGone) continue;
        now = Math.max(now, event.at);
        if (owner !== undefined && owner.frozenUntil > now) {
          event.at = owner.frozenUntil;
          heap.push(event);
          continue;
        }
        ran += 1;
        current = owner;
        event.then();
        // Every promise that the event settles belongs to its owner. Nothing here waits for real input.
        await settled();
        current = undefined;
      }
    },
  };
}

/** Keeps events by their time. */
function newHeap() {
  const events: Event[] = [];
  const isBefore = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.number < b.number);
  const swap = (a: number, b: number) => {
    [events[a], events[b]] = [events[b] as Event, events[a] as Event];
  };
  return {
    push: (event: Event): void => {
      let at = events.push(event) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (isBefore(events[parent] as Event, event)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop: (): Event | undefined => {
      const [first] = events;
      const last = events.pop();
      if (first === undefined || last === undefined || events.length === 0) return first;
      events[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2])
          if (child < events.length && isBefore(events[child] as Event, events[least] as Event))
            least = child;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}

/**
 * Gives all timers, times and random ids of the process to the timeline and the dice, for good: no seed may
 * depend on the real time.
 */
export function replaceGlobals(timeline: () => Timeline, random: () => number): void {
  const setTimer = (then: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    const { after, current } = timeline();
    const cancel = after(Math.max(1, ms), () => then(...given), current);
    const timer = { cancel, unref: () => timer, ref: () => timer };
    return timer;
  };
  const clearTimer = (timer?: { cancel?(): void }) => timer?.cancel?.();
  const randomUUID = () => `${hex(random)}-${hex(random)}`;
  const { subtle } = globalThis.crypto;
  Object.assign(globalThis, {
    setTimeout: setTimer,
    clearTimeout: clearTimer,
    setImmediate: (then: () => void) => setTimer(then, 0),
    clearImmediate: clearTimer,
  });
  Object.defineProperty(globalThis, "crypto", { value: { randomUUID, subtle } });
  Object.defineProperty(globalThis, "performance", { value: { now: () => timeline().now() } });
  Math.random = random;
  Date.now = () => timeline().now();
}

const hex = (random: () => number) =>
  Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, "0");
