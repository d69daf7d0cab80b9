import type { EventType } from "../../log/event.ts";
import type { EventOf, LiveEventType, SessionEvent } from "../../log/live-event.ts";
import type { RunResult } from "../../session/run-result.ts";

/** Names a run, and where its events begin. */
export interface RunStart {
  sessionId: string;
  runId: string;
  /** The events of the run, or of this leg, have a higher `seq`. */
  afterSeq: number;
  /**
   * `seq` of the message if it was queued during the run. The run reads it in its next turn. If the run ends
   * before that, the next run reads it, and is the one to wait for.
   */
  messageSeq?: number;
}

/**
 * A run in progress. It continues whether or not anybody reads it: iterate it, listen to it, or only await
 * `result`. If `result` rejects, the iterator throws the same error after the stored events.
 */
export interface Run extends AsyncIterable<SessionEvent> {
  /**
   * Resolves once the message or answer is safely stored. Rejects with `not_found`, `session_busy`,
   * `invalid_input`, `unknown_call`, `invalid_answer`, `already_answered` or `store_unavailable`.
   */
  readonly started: Promise<RunStart>;
  /**
   * Resolves when the run is suspended or has ended. For a message that was queued during a run, it is the
   * result of the run that picked the message up. Rejects as `started` does, or later with
   * `store_unavailable`. All other failures are in the result.
   */
  readonly result: Promise<RunResult>;
  /** Calls `listener` for every event of one type. */
  on<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
  /** Removes a listener. */
  off<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
}
