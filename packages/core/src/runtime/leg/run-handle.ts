import type { Json } from "../../base/json.ts";
import type { EventType } from "../../log/event.ts";
import type { EventOf, LiveEventType, SessionEvent } from "../../log/store/live-event.ts";
import type { RunResult } from "../../session/run-result.ts";

/** Identifies a run, and the place in the log where its events begin. */
export interface RunStart {
  /** Id of the session. */
  sessionId: string;
  /** Id of the run. */
  runId: string;
  /**
   * The `seq` before the run's first event. If the run already existed, the `seq` before the first event of
   * this request.
   */
  afterSeq: number;
  /**
   * `seq` of the message, if it was queued during the run. The run reads it in its next turn. If the run ends
   * first, the next run reads it; wait for that run.
   */
  messageSeq?: number;
}

/**
 * A run in progress. It continues even if nobody reads it. Print its `textStream`, iterate its events, listen
 * to some of them, or only await `result`. If `result` rejects, iterators throw the same error after the
 * stored events. `Output` is the type of its result's `output`.
 *
 * Before each `assistant_message`, readers get the rest of its text and thinking as deltas. So the texts of
 * all `text_delta` events of an answer add up to the answer, even if it arrived in one packet. The [table of
 * all events](https://github.com/pawl-js/pawl/blob/main/docs/events.md) says when each one comes.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello, Ada." }]),
 *   instructions: "You greet people.",
 * });
 * const pawl = runtime({ agents: [greeter], store: memoryStore() });
 *
 * const run = pawl.run("greeter", { userId: "ada", input: "Hi" });
 * for await (const text of run.textStream) console.log(text); // Hello, Ada.
 * console.log((await run.result).stop.type); // end_turn
 * ```
 */
export interface Run<Output = Json> extends AsyncIterable<SessionEvent> {
  /**
   * Resolves once the message or the answers are stored. Rejects with `not_found`, `session_busy`,
   * `invalid_input`, `unknown_call`, `invalid_answer`, `already_answered` or `store_unavailable`.
   */
  readonly started: Promise<RunStart>;
  /**
   * Resolves when the run is suspended or has ended. For a message that was queued during a run, it is the
   * result of the run that picked the message up. Listeners have received all events by then. Rejects as
   * `started` does, or later with `store_unavailable`. All other failures are in the result.
   */
  readonly result: Promise<RunResult<Output>>;
  /**
   * The text of the run's answers as it arrives: every character once, in order, with a blank line between
   * the answers of different turns. If a model call fails midway, or a hook changes an answer, the text that
   * was sent stays in the stream, and the new text begins a new paragraph. Each access starts a new stream
   * from the run's beginning.
   *
   * The stream ends in the same way however the run ends. After a refusal, a limit, an error or a question
   * there is less text, or none. Then show `stop.message` of the `result`, or the questions in its `pending`.
   */
  readonly textStream: AsyncIterable<string>;
  /** Calls `listener` for every event of one type. Throws a PawlError `config` for an unknown type. */
  on<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
  /** Removes a listener. */
  off<T extends EventType | LiveEventType>(type: T, listener: (event: EventOf<T>) => void): this;
}
