import type { EventType } from "../../log/event.ts";
import type { EventOf, LiveEventType, SessionEvent } from "../../log/live-event.ts";
import type { RunResult } from "../../session/run-result.ts";

/** Identifies a run, and the place in the log where its events begin. */
export interface RunStart {
  sessionId: string;
  runId: string;
  /**
   * The `seq` before the run's first event. If the run already existed, the `seq` before the first event of
   * this request.
   */
  afterSeq: number;
  /**
   * `seq` of the message, if it was queued during the run. The run reads it in its next turn. If the run ends
   * first, the next run reads it, and is the one to wait for.
   */
  messageSeq?: number;
}

/**
 * A run in progress. Iterate its events, listen to them with `on`, or only await `result`; the run continues
 * in any case. If `result` rejects, the iterator throws the same error after the stored events.
 */
export interface Run extends AsyncIterable<SessionEvent> {
  /**
   * Resolves once the message or the answers are stored. Rejects with `not_found`, `session_busy`,
   * `invalid_input`, `unknown_call`, `invalid_answer`, `already_answered` or `store_unavailable`.
   */
  readonly started: Promise<RunStart>;
  /**
   * Resolves when the run is suspended or has ended. For a queued message, this is the result of the run that
   * read it. Rejects like `started`, or later with `store_unavailable`; all other failures are in the result.
   */
  readonly result: Promise<RunResult>;
  /** Calls `listener` for every event of the run that has this type. */
  on<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
  /** Removes a listener. */
  off<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
}
