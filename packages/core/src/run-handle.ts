import type { EventType, StoredEvent, StoredOf } from "./events/event.ts";
import type { LiveEvent, LiveEventType } from "./events/live-event.ts";
import type { Json } from "./json.ts";
import type { Usage } from "./model/pricing.ts";
import type { StopReason } from "./stop/stop-reason.ts";
import type { Suspension } from "./view/view.ts";

/** What a reader of a session sees: stored events and, between them, what is not stored. */
export type SessionEvent = StoredEvent | LiveEvent;

/** An event by its type. */
export type EventOf<T extends EventType | LiveEventType> = T extends EventType
  ? StoredOf<T>
  : Extract<LiveEvent, { type: T }>;

/** A tool call of a run and what came of it. */
export interface Action {
  tool: string;
  args: Json;
  /** Absent while the call waits for an answer. */
  result?: Json;
  success?: boolean;
}

/** How a run, or its share until a question, came out. */
export interface RunResult {
  sessionId: string;
  runId: string;
  /**
   * Why it stopped; `suspended` means that it goes on with an answer. Its sentence is for the user: what exactly has failed
   * is in the log, as an `error` event.
   */
  stop: StopReason;
  /** All text of the run, a blank line between turns. */
  text: string;
  actions: Action[];
  turns: number;
  usage: Usage;
  /** Millionths of a US dollar; 0 where the model has no prices. */
  costMicroUsd: number;
  pending: Suspension[];
}

/** Where a run began. */
export interface RunStart {
  sessionId: string;
  runId: string;
  /** The run's events (or those of this leg) come after this `seq`. */
  afterSeq: number;
  /**
   * `seq` of a message that was stored while the run was at work. The run takes it up with its next turn; if it ends before,
   * the run that follows does, and this one's end is then not the end of what was begun here.
   */
  messageSeq?: number;
}

/**
 * A run under way. It goes on whether or not anybody reads it: iterate it, listen to it, or just await the result.
 * The iterator throws what `result` rejects with, after the events that are stored.
 */
export interface Run extends AsyncIterable<SessionEvent> {
  /**
   * Resolves once the message or answer is safely stored. Rejects with `not_found`, `session_busy`, `invalid_input`,
   * `unknown_call`, `invalid_answer`, `already_answered` or `store_unavailable`.
   */
  readonly started: Promise<RunStart>;
  /**
   * How the run came out, or, of a message that was sent while one was at work, the run that has taken it up. Rejects as
   * `started` does, or with `store_unavailable` later on; for anything else the result says what happened.
   */
  readonly result: Promise<RunResult>;
  /** Calls `listener` for every event of one type. */
  on<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
  off<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
}
