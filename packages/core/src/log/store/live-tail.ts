import type { LivePart } from "../../model/live-part.ts";
import type { StoredEvent } from "../event.ts";
import type { AgentAtWork, EventOf } from "./live-event.ts";

/** The live state of a session: what is in progress and not in the log yet. */
export interface LiveState {
  /** `seq` of the `llm_request` whose answer is being written; 0 if none exists. */
  attempt: number;
  /** The blocks of that answer so far. */
  parts: readonly LivePart[];
  /** The reports of running calls, and transient parts: the last ones, oldest first. */
  reports: LiveReport[];
  /**
   * The sub-agents whose text is shown, by the id of the call or the task that each works on. `call_id` is
   * the call whose tool has given the task.
   */
  agents: Map<string, AgentAtWork & { call_id?: string }>;
}

/** A live event that readers get as a whole: a report of a call's progress, or a transient part. */
export interface LiveReport {
  /** Rises from one report to the next. A reader gets the reports that are newer than its last one. */
  version: number;
  event: EventOf<"tool_progress" | "transient_part">;
  /** Whether the next report of the call replaces this one. */
  conflate?: true;
  /**
   * `seq` of the log's last event when the report's call had ended. Readers that start later do not get the
   * report.
   */
  endedAt?: number;
}

/**
 * Notifies readers of new events, and shows them the part of the current answer that is not stored yet. The
 * store remains the source of stored events, so a lost wake-up delays an event but never loses it. Readers in
 * the process that stored an event need not fetch it.
 */
export interface LiveTail {
  /** Reports stored events up to `seq`. `events` are the last of them, if available. */
  stored(sessionId: string, seq: number, events?: readonly StoredEvent[]): void;
  /**
   * Starts the live state of a new leg, in place of any earlier one, and returns it. The leg changes the
   * object and then calls `touch`.
   */
  live(sessionId: string): LiveState;
  /** Notifies readers that the live state has changed. */
  touch(sessionId: string): void;
  /** Ends the session's live state when its leg is over. */
  end(sessionId: string): void;
  /**
   * Returns the live state and the last `seq` that this process knows of. `recent` are the last events that
   * were stored while the session had readers, without gaps. They are frozen, because all readers and the run
   * share them.
   */
  peek(sessionId: string): { live: LiveState | undefined; seq: number; recent: readonly StoredEvent[] };
  /**
   * Calls `onChange` after every change of the session or of `listening`, until the returned function is
   * called.
   */
  subscribe(sessionId: string, onChange: () => void): () => void;
  /**
   * Whether this process is currently notified of every append by other processes. If so, readers of idle
   * sessions query the store once a minute. Otherwise they query it every `times.pollMs`. Default: false.
   */
  readonly listening?: boolean;
}
