import type { Json } from "../json.ts";
import type { StoredEvent } from "./event.ts";
import type { AgentAtWork } from "./live-event.ts";
import { deepFreeze } from "./stored-form.ts";

/** A block of the answer that is being written. */
export interface LivePart {
  index: number;
  kind: "text" | "thinking" | "tool_input";
  /** All of its text so far, in the pieces in which it came: to show a reader the newest costs nothing but the newest. */
  pieces: string[];
  /** The call whose input this is. */
  tool?: { call_id: string; tool_name: string };
}

/** What is going on in a session right now and is not in the log yet. */
export interface LiveState {
  /** `seq` of the `llm_request` whose answer is being written; 0 when none is. */
  attempt: number;
  parts: readonly LivePart[];
  /** The last progress report of each running call; `version` grows with every report of the session. */
  progress: Map<string, { tool_name: string; data: Json; version: number }>;
  /** The agents whose text is shown, by the running calls whose work they do. */
  agents: Map<string, AgentAtWork>;
}

/**
 * Tells readers that there is something new, and shows them the part of the current answer that is not stored yet.
 * Stored events come from the store, so a lost wake-up costs time, never an event; readers in the process that has stored
 * them need not fetch them again.
 */
export interface LiveTail {
  /** There are stored events up to `seq`; `events` are the last of them, where they are at hand. */
  stored(sessionId: string, seq: number, events?: readonly StoredEvent[]): void;
  /** A new leg's account of what it is doing, in place of any other; it changes the object and then calls `touch`. */
  live(sessionId: string): LiveState;
  touch(sessionId: string): void;
  /** The leg is over. */
  end(sessionId: string): void;
  /**
   * What is going on, and the last `seq` that this process knows of. `recent`: events without a gap between them that were
   * stored while somebody was reading, frozen: all readers and the run itself have the same objects.
   */
  peek(sessionId: string): { live: LiveState | undefined; seq: number; recent: readonly StoredEvent[] };
  /** Calls back after every change, of `listening` too, until the returned function is called. */
  subscribe(sessionId: string, onChange: () => void): () => void;
  /**
   * Whether this process is currently notified of every append by other processes. If so, readers of idle
   * sessions query the store once a minute. Otherwise, and if absent, they query it every `pollMs`.
   */
  readonly listening?: boolean;
}

/** So many events are kept at least, and twice as many at most. A reader that is further behind reads the store. */
const MAX_RECENT = 32;

interface Channel {
  seq: number;
  recent: StoredEvent[];
  live: LiveState | undefined;
  listeners: Set<() => void>;
}

/** Takes in what was stored. Of what is old, more goes at a time than comes. */
function remember(channel: Channel, events: readonly StoredEvent[]): void {
  const { recent } = channel;
  if (recent.at(-1)?.seq !== (events[0]?.seq ?? 0) - 1) recent.length = 0;
  for (const event of events) recent.push(deepFreeze(event));
  if (recent.length > 2 * MAX_RECENT) recent.splice(0, recent.length - MAX_RECENT);
}

/** The tail for readers in the same process as the run. Readers elsewhere find stored events by polling. */
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
