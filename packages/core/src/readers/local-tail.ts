import { deepFreeze } from "../base/freeze.ts";
import type { StoredEvent } from "../log/event.ts";
import type { LiveState, LiveTail } from "../log/store/live-tail.ts";

/**
 * How many recent events of a session are kept once there are so many: at least this number, at most twice as
 * many. A reader that is further behind queries the store.
 */
const MAX_RECENT = 32;

/**
 * How long the events of a session are kept after its leg has ended, in milliseconds: long enough for every
 * reader in this process to take them.
 */
const KEEP_MS = 1_000;

/** The state of one session that has readers, or a leg in this process. */
interface Channel {
  /** The highest `seq` that was reported. */
  seq: number;
  /** The last events, without gaps. */
  recent: StoredEvent[];
  live: LiveState | undefined;
  listeners: Set<() => void>;
}

/**
 * Adds stored events to the recent ones. Trims from twice `MAX_RECENT` down to `MAX_RECENT` at once, so that
 * the cost of `splice` is amortised.
 */
function remember(channel: Channel, events: readonly StoredEvent[]): void {
  const { recent } = channel;
  // Events that do not follow directly would leave a gap.
  if (recent.at(-1)?.seq !== (events[0]?.seq ?? 0) - 1) recent.length = 0;
  for (const event of events) recent.push(deepFreeze(event));
  if (recent.length > 2 * MAX_RECENT) recent.splice(0, recent.length - MAX_RECENT);
}

/**
 * Forgets a session's recent events after `KEEP_MS`, unless another leg has begun or an event was stored by
 * then. This saves memory, because many idle sessions may have readers.
 */
function forgetRecent(channel: Channel): void {
  const { seq } = channel;
  const timer = setTimeout(() => {
    if (channel.live === undefined && channel.seq === seq) channel.recent = [];
  }, KEEP_MS);
  // In Node, a timer is an object that can be told not to keep the process alive. In browsers, it is a
  // number.
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
  /** Returns the session's channel, and creates it if it is missing. */
  const channelOf = (sessionId: string): Channel => {
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
  /** Deletes a channel that is no longer in use. */
  const forget = (sessionId: string, { live, listeners }: Channel) => {
    if (live === undefined && listeners.size === 0) channels.delete(sessionId);
  };
  return {
    stored(sessionId, seq, events = []) {
      const channel = channels.get(sessionId);
      if (channel === undefined) return;
      channel.seq = Math.max(channel.seq, seq);
      if (channel.listeners.size === 0) channel.recent.length = 0;
      else if (events.length > 0) remember(channel, events);
      notify(channel);
    },
    live(sessionId) {
      const channel = channelOf(sessionId);
      channel.live = { attempt: 0, parts: [], reports: [], agents: new Map() };
      return channel.live;
    },
    touch(sessionId) {
      const channel = channels.get(sessionId);
      if (channel !== undefined) notify(channel);
    },
    end(sessionId) {
      const channel = channels.get(sessionId);
      if (channel === undefined) return;
      channel.live = undefined;
      notify(channel);
      forget(sessionId, channel);
      forgetRecent(channel);
    },
    peek(sessionId) {
      const channel = channels.get(sessionId);
      return { live: channel?.live, seq: channel?.seq ?? 0, recent: channel?.recent ?? [] };
    },
    subscribe(sessionId, onChange) {
      const channel = channelOf(sessionId);
      channel.listeners.add(onChange);
      return () => {
        channel.listeners.delete(onChange);
        forget(sessionId, channel);
      };
    },
  };
}
