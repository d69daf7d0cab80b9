import type { Json, SessionEvent } from "@pawl/core";
import { type AgentState, stateOf } from "../state/agent-state.ts";
import { batch } from "../state/batch.ts";
import { type Conversation, newConversation, update } from "../state/conversation.ts";
import { SILENCE_MS } from "../wire/read-events.ts";
import { type WireOptions, wire } from "../wire/wire.ts";
import { randomId } from "./random-id.ts";
import { watchAgain } from "./reading.ts";
import { type SendOptions, sendAnswer, sendMessage, sendRetry, sendStop } from "./submit.ts";

/** Options of `createAgentClient()`. */
export interface AgentClientOptions extends WireOptions {
  /** The session to open. Default: a new one, which begins with the first message. */
  sessionId?: string;
  /** Called once with each event, in order: stored ones as they are logged, and live ones. */
  onEvent?(event: SessionEvent): void;
  /**
   * Milliseconds without data, not even a heartbeat, after which a connection counts as broken. Also the
   * timeout of a request. Default: three of the server's heartbeats, or 45 s if the server does not announce
   * how often it sends one; 45 s for a request.
   */
  silenceMs?: number;
  /** Makes ids of messages. Default: 32 random hexadecimal digits. */
  newId?(): string;
}

/** A conversation with an agent: a store to subscribe to, and the user's actions. */
export interface AgentClient {
  /** Returns the state; the same object until something changes. */
  getState(): AgentState;
  /** Calls back after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /**
   * Sends a message; a session begins with the first one. Resolves to whether it was accepted. If not,
   * `state.error` has the reason and the text. Resolves to `false` at once while a message or an answer is in
   * flight. For `extra` see {@link SendOptions}.
   */
  send(text: string, options?: SendOptions): Promise<boolean>;
  /**
   * Answers a pending question. Resolves to whether this answer was accepted; a second one never is. Pass
   * `question`, the `seq` of the question, if a call may ask more than once: then the answer counts for that
   * question only.
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
   * call's error. Otherwise like {@link AgentClient.answer}. Approvals refuse it: answer them with
   * `{ approved: false }`.
   */
  fail(callId: string, error: string, question?: number): Promise<boolean>;
  /** Asks the run to stop. The state shows when it has stopped. */
  stop(): Promise<void>;
  /**
   * Switches to another session; `undefined` starts a new one. Opening the current session does nothing, or
   * reconnects it if it is offline.
   */
  open(sessionId: string | undefined): void;
  /**
   * Stops reading; runs continue. The state stays as it is, and nothing is sent until a session is opened.
   */
  close(): void;
}

/**
 * Makes a client for an agent served by `@pawl/sse`. Its state is folded from the session's events by the
 * same function as the server's view. Broken connections resume after the last event.
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
  newId = randomId,
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
      // A first message in flight belongs to the session that it begins, not to another new one.
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

/**
 * Stops reading and sending. A request in flight may have been stored or lost; the log shows which when the
 * session is opened again.
 */
function leave(talk: Conversation): void {
  talk.life.abort();
  update(talk, { connection: "offline", sending: undefined, answering: new Set() });
}

/**
 * Calls a listener. Its errors are thrown asynchronously, so that they are reported but do not stop the
 * reading.
 */
function outside(call: () => void): void {
  try {
    call();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
