import type { Json } from "../base/json.ts";
import type { LivePart } from "../model/live-part.ts";
import type { StoredEvent } from "./event.ts";
import type { AgentAtWork } from "./live-event.ts";

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
 * Tells readers that there is something new, and shows them the part of the current answer that is not stored
 * yet. Stored events come from the store, so a lost wake-up costs time, never an event; readers in the
 * process that has stored them need not fetch them again.
 */
export interface LiveTail {
  /** There are stored events up to `seq`; `events` are the last of them, where they are at hand. */
  stored(sessionId: string, seq: number, events?: readonly StoredEvent[]): void;
  /**
   * A new leg's account of what it is doing, in place of any other; it changes the object and then calls
   * `touch`.
   */
  live(sessionId: string): LiveState;
  touch(sessionId: string): void;
  /** The leg is over. */
  end(sessionId: string): void;
  /**
   * What is going on, and the last `seq` that this process knows of. `recent`: events without a gap between
   * them that were stored while somebody was reading, frozen: all readers and the run itself have the same
   * objects.
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
