import type { Json, SessionEvent } from "@pawl/core";
import { type AgentState, stateOf } from "../state/agent-state.ts";
import { batch } from "../state/batch.ts";
import { type Conversation, newConversation, update } from "../state/conversation.ts";
import { SILENCE_MS } from "../wire/read-events.ts";
import { type WireOptions, wire } from "../wire/wire.ts";
import { watchAgain } from "./reading.ts";
import { type SendOptions, sendAnswer, sendMessage, sendRetry, sendStop } from "./submit.ts";

/** Options of `createAgentClient()`. */
export interface AgentClientOptions extends WireOptions {
  /** Opened at once. */
  sessionId?: string;
  /** Told of every event once, in order: stored ones as they are logged, and live ones. */
  onEvent?(event: SessionEvent): void;
  /**
   * A connection that brings nothing for so many milliseconds, not even a heartbeat, is given up, and so is a
   * request that is not answered. Default: three of the server's heartbeats; 45 s where it does not say how
   * often it sends one.
   */
  silenceMs?: number;
  /** Makes ids of messages. */
  newId?(): string;
}

/** A conversation with an agent: a store to subscribe to, and what can be done. */
export interface AgentClient {
  /** The same object until something changes. */
  getState(): AgentState;
  /** Calls back after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /**
   * Sends a message; a session begins with the first one. Resolves to whether it was accepted. While a
   * message or an answer is on its way it is refused at once. Why the server refused is in `state.error`.
   * `extra` goes with it, see {@link SendOptions}.
   */
  send(text: string, options?: SendOptions): Promise<boolean>;
  /**
   * Answers a pending question. Resolves to whether this answer was accepted; a second one never is. A call
   * may ask again: with `question`, the `seq` of a question, the answer counts for that one only.
   */
  answer(callId: string, value: Json, question?: number): Promise<boolean>;
  /**
   * Runs the last message again, after its run failed, was stopped or was interrupted. The new answer
   * replaces the one that broke off. Resolves to whether the retry was accepted; if not, `state.error` says
   * why. Two calls, also from two tabs, make one run.
   */
  retry(): Promise<boolean>;
  /**
   * Reports that a tool of this page failed. The model reads `error`, at most 10,000 characters, as the
   * call's error. Otherwise like {@link AgentClient.answer}. Not for approvals: answer those with a no.
   */
  fail(callId: string, error: string, question?: number): Promise<boolean>;
  /** Asks the run to stop. It has stopped when the state says so. */
  stop(): Promise<void>;
  /**
   * Goes to another session, or with `undefined` to a new one. The one that is open stays as it is; if it is
   * offline, it is read on.
   */
  open(sessionId: string | undefined): void;
  /**
   * Stops reading; runs go on. What was read stays in the state, and nothing is sent until a session is
   * opened.
   */
  close(): void;
}

/**
 * A client for an agent served by `@pawl/sse`. Its state is the fold of the session's events, the same fold
 * that the server's view is; broken connections are taken up again from the last event.
 *
 * @example
 * ```ts
 * import { createAgentClient } from "@pawl/client";
 *
 * const coach = createAgentClient({ url: "http://localhost:3000/api/coach" });
 * const unsubscribe = coach.subscribe(() => {
 *   const { phase, messages } = coach.getState();
 *   console.log(phase, messages.at(-1)?.text);
 * });
 * await coach.send("Good morning");
 * unsubscribe();
 * coach.close();
 * ```
 */
export function createAgentClient({
  sessionId,
  onEvent = () => undefined,
  silenceMs,
  newId = () => crypto.randomUUID(),
  ...wireOptions
}: AgentClientOptions): AgentClient {
  const speaks = wire(wireOptions, silenceMs ?? SILENCE_MS);
  const listeners = new Set<() => void>();
  const begin = (id: string | undefined): Conversation => {
    const talk: Conversation = newConversation(
      {
        wire: speaks,
        newId,
        silenceMs,
        onEvent: (event) => outside(() => onEvent(event)),
        onChange: (when) => talk === current && show[when](),
      },
      id,
    );
    return talk;
  };
  let current = begin(sessionId);
  let state = stateOf(current.facts);
  const show = batch(() => {
    state = stateOf(current.facts);
    for (const listener of listeners) outside(listener);
  });
  if (sessionId !== undefined) watchAgain(current);

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    send: (text, options) => sendMessage(current, text, options),
    answer: (callId, value, question) => sendAnswer(current, callId, { value }, question),
    fail: (callId, error, question) => sendAnswer(current, callId, { error }, question),
    retry: () => sendRetry(current),
    stop: () => sendStop(current),
    open: (id) => {
      const { facts, life } = current;
      // A first message that is on its way belongs to the session that it begins, not to another new one.
      const isSame = facts.sessionId === id && (id !== undefined || facts.sending === undefined);
      if (isSame && facts.connection !== "offline") return;
      if (!isSame) {
        const left = current;
        current = begin(id);
        leave(left);
      } else if (life.signal.aborted) current.life = new AbortController();
      if (id !== undefined) watchAgain(current);
      update(current, { error: undefined });
    },
    close: () => leave(current),
  };
}

/** Stops everything. What was on its way is either in the log or lost: reading on tells. */
function leave(talk: Conversation): void {
  talk.life.abort();
  update(talk, { connection: "offline", sending: undefined, answering: new Set() });
}

/** A listener's mistake is its own: it neither stops the reading nor goes unseen. */
function outside(call: () => void): void {
  try {
    call();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
