import type { Json, JsonObject } from "@pawl/core";
import type { AgentClientOptions } from "../client/agent-client.ts";
import { around } from "../client/around.ts";
import { checkArgument, checkClientOptions } from "../client/check-client.ts";
import { SILENCE_MS } from "../wire/read-events.ts";
import type { AspEvent } from "./asp-event.ts";
import { load } from "./asp-reading.ts";
import { type AspState, aspStateOf } from "./asp-state.ts";
import { sendAgain, sendResult, sendStop, sendText } from "./asp-submit.ts";
import { type AspTalk, change, newTalk } from "./asp-talk.ts";
import { aspWire } from "./asp-wire.ts";

/** Options of `createAspClient()`: those of `createAgentClient()`, but for the type of the events. */
export interface AspClientOptions extends Omit<AgentClientOptions, "onEvent" | "tools"> {
  /** Called with each event of a stream, in order. A stream that is read again repeats them. */
  onEvent?(event: AspEvent): void;
}

/** A conversation over ASP v2: its state to subscribe to, and the user's actions. */
export interface AspClient {
  /** Returns the current state: the same object until something changes. */
  getState(): AspState;
  /** Calls `listener` after every change of the state. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
  /**
   * Sends a message. Resolves to whether the server accepted it; if not, `state.error` has the reason and
   * the text. Resolves to `false` at once if the text is blank, or a request or a turn is in progress.
   * `extra` are your own fields for the request's body, e.g. `replay_id`; the server reads those that its
   * option `handler({ extra })` lists.
   */
  send(text: string, options?: { extra?: JsonObject }): Promise<boolean>;
  /** Answers a call of `state.pending`. Resolves to whether the server accepted the answer. */
  answer(callId: string, content: Json): Promise<boolean>;
  /** Answers a call by reporting that a tool of this page failed. The model reads `error`. */
  fail(callId: string, error: string): Promise<boolean>;
  /**
   * Does what a user expects after a failure, and resolves to whether that succeeded:
   *
   * - Sends a message or an answer again that was refused or did not arrive. It counts once.
   * - After a connection was lost: loads the conversation, and reads on if its run is still in progress.
   * - If the run failed, was stopped or was interrupted: runs the last message again. The new answer replaces
   *   the one that broke off, and the results of tools stay.
   */
  retry(): Promise<boolean>;
  /**
   * Asks the server to stop the run. The turn then ends with the stop reason `aborted`. If that request
   * fails, closes the stream: a server with `onClientGone: "stop"` ends the run.
   */
  stop(): Promise<void>;
  /** Opens another session and loads its history; `undefined` starts a new conversation. */
  open(sessionId: string | undefined): void;
  /** Stops reading. Nothing can be sent until {@link AspClient.open} is called. */
  close(): void;
}

/**
 * Creates a client for an agent that `handler()` of `@pawl/sse` serves with the dialect `asp()`. Loads the
 * session and keeps its state up to date. A stream that breaks off is not resumed by itself: `state.error`
 * says so, and `retry()` continues.
 *
 * @throws PawlError `config` for unknown, missing and mistyped options.
 *
 * @example
 * ```ts
 * import { createAspClient } from "@pawl/client/asp";
 *
 * const coach = createAspClient({ url: "http://localhost:3000/api/coach" });
 * const unsubscribe = coach.subscribe(() => {
 *   const { phase, messages, error } = coach.getState();
 *   console.log(phase, messages.at(-1)?.text, error?.message);
 * });
 * await coach.send("How was my last match?", { extra: { replay_id: "r-1" } });
 * unsubscribe();
 * coach.close();
 * ```
 */
export function createAspClient(options: AspClientOptions): AspClient {
  checkClientOptions("createAspClient()", options);
  const { sessionId, silenceMs = SILENCE_MS } = options;
  const wire = aspWire(options, silenceMs);
  const talks = around(options, (from, id) => newTalk({ ...from, wire }, id), aspStateOf);
  if (sessionId !== undefined) void load(talks.current);

  return {
    getState: talks.getState,
    subscribe: talks.subscribe,
    send: (text, { extra } = {}) => sendText(talks.current, text, extra),
    answer: (callId, content) => sendResult(talks.current, callId, { content }),
    fail: (callId, error) => {
      checkArgument("The error for fail()", error, "string");
      return sendResult(talks.current, callId, { content: error, is_error: true });
    },
    retry: () => sendAgain(talks.current),
    stop: () => sendStop(talks.current),
    open: (id) => {
      if (id !== undefined) checkArgument("The session's id for open()", id, "string");
      const { facts, life } = talks.current;
      // A first message that is in flight belongs to the session that it begins, not to the new one.
      const isSame = facts.sessionId === id && (id !== undefined || !facts.submitting);
      const isClosed = life.signal.aborted;
      if (isSame && !isClosed && facts.error === undefined) return;
      if (!isSame) leave(talks.replace(id));
      else if (isClosed) talks.current.life = new AbortController();
      change(talks.current, { error: undefined });
      if (id !== undefined && !talks.current.facts.reading) void load(talks.current);
    },
    close: () => leave(talks.current),
  };
}

/** Stops reading and sending. What the server has stored is shown when the session is opened again. */
function leave(talk: AspTalk): void {
  talk.life.abort();
  change(talk, { submitting: false, reading: false, loading: false });
}
