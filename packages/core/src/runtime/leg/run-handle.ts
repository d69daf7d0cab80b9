import type { EventType } from "../../log/event.ts";
import type { EventOf, LiveEventType, SessionEvent } from "../../log/live-event.ts";
import type { RunResult } from "../../session/run-result.ts";

/** Where a run began. */
export interface RunStart {
  sessionId: string;
  runId: string;
  /** The run's events (or those of this leg) come after this `seq`. */
  afterSeq: number;
  /**
   * `seq` of a message that was stored while the run was at work. The run takes it up with its next turn; if
   * it ends before, the run that follows does, and this one's end is then not the end of what was begun here.
   */
  messageSeq?: number;
}

/**
 * A run under way. It goes on whether or not anybody reads it: iterate it, listen to it, or just await the
 * result. The iterator throws what `result` rejects with, after the events that are stored.
 */
export interface Run extends AsyncIterable<SessionEvent> {
  /**
   * Resolves once the message or answer is safely stored. Rejects with `not_found`, `session_busy`,
   * `invalid_input`, `unknown_call`, `invalid_answer`, `already_answered` or `store_unavailable`.
   */
  readonly started: Promise<RunStart>;
  /**
   * How the run came out, or, of a message that was sent while one was at work, the run that has taken it up.
   * Rejects as `started` does, or with `store_unavailable` later on; for anything else the result says what
   * happened.
   */
  readonly result: Promise<RunResult>;
  /** Calls `listener` for every event of one type. */
  on<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
  off<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
}
