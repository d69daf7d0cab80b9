import { deepFreeze } from "../base/freeze.ts";
import type { StoredEvent } from "../log/event.ts";
import type { LiveState, LiveTail } from "../log/store/live-tail.ts";

/**
 * How many recent events of a session are kept: at least this many, at most twice as many. A reader that is
 * further behind queries the store.
 */
const MAX_RECENT = 32;

/**
 * How long the events of a session are kept after its leg has ended, in milliseconds: long enough for every
 * reader in this process to take them.
 */
const KEEP_MS = 1_000;

interface Channel {
  seq: number;
  recent: StoredEvent[];
  live: LiveState | undefined;
  listeners: Set<() => void>;
}

/**
 * Remembers stored events. Trims from twice `MAX_RECENT` down to `MAX_RECENT` at once, so that the cost of
 * `splice` is amortised.
 */
function remember(channel: Channel, events: readonly StoredEvent[]): void {
  const { recent } = channel;
  if (recent.at(-1)?.seq !== (events[0]?.seq ?? 0) - 1) recent.length = 0;
  for (const event of events) recent.push(deepFreeze(event));
  if (recent.length > 2 * MAX_RECENT) recent.splice(0, recent.length - MAX_RECENT);
}

/**
 * Forgets a session's events after `KEEP_MS`, unless another leg has begun or an event was stored. Many idle
 * sessions may have readers.
 */
function forgetRecent(channel: Channel): void {
  const { seq } = channel;
  const timer = setTimeout(() => {
    if (channel.live === undefined && channel.seq === seq) channel.recent = [];
  }, KEEP_MS);
  // A number in browsers, and an object in Node, whose process need not wait for it.
  if (typeof timer === "object") timer.unref();
}

/**
 * Creates a tail for readers in the same process as the run. Readers in other processes find stored events by
 * polling.
 *
 * @example
 * ```ts
 * import { localTail } from "@pawl/core/store";
 *
 * const tail = localTail();
 * const leave = tail.subscribe("s1", () => console.log(tail.peek("s1").seq)); // 4
 * tail.stored("s1", 4);
 * leave();
 * ```
 */
export function localTail(): LiveTail {
  const channels = new Map<string, Channel>();
  const channel = (sessionId: string): Channel => {
    let found = channels.get(sessionId);
    if (found === undefined) {
      found = { seq: 0, recent: [], live: undefined, listeners: new Set() };
      channels.set(sessionId, found);
    }
    return found;
  };
  const notify = ({ listeners }: Channel) => {
    for (const listener of listeners) listener();
  };
  const forget = (sessionId: string, { live, listeners }: Channel) => {
    if (live === undefined && listeners.size === 0) channels.delete(sessionId);
  };
  return {
    stored(sessionId, seq, events = []) {
      const found = channels.get(sessionId);
      if (found === undefined) return;
      found.seq = Math.max(found.seq, seq);
      if (found.listeners.size === 0) found.recent.length = 0;
      else if (events.length > 0) remember(found, events);
      notify(found);
    },
    live(sessionId) {
      const found = channel(sessionId);
      found.live = { attempt: 0, parts: [], progress: new Map(), agents: new Map() };
      return found.live;
    },
    touch(sessionId) {
      const found = channels.get(sessionId);
      if (found !== undefined) notify(found);
    },
    end(sessionId) {
      const found = channels.get(sessionId);
      if (found === undefined) return;
      found.live = undefined;
      notify(found);
      forget(sessionId, found);
      forgetRecent(found);
    },
    peek(sessionId) {
      const found = channels.get(sessionId);
      return { live: found?.live, seq: found?.seq ?? 0, recent: found?.recent ?? [] };
    },
    subscribe(sessionId, onChange) {
      const found = channel(sessionId);
      found.listeners.add(onChange);
      return () => {
        found.listeners.delete(onChange);
        forget(sessionId, found);
      };
    },
  };
}
