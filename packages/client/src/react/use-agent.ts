import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { type AgentClient, type AgentClientOptions, createAgentClient } from "../client/agent-client.ts";
import { checkClientOptions } from "../client/check-client.ts";
import {
  type AnswerableQuestion,
  type AnyQuestions,
  type AskedByKind,
  answerable,
  askedByKind,
  type QuestionTypes,
} from "../client/questions.ts";
import type { AnyTools, ToolTypes, TypedMessage } from "../client/tool-types.ts";
import type { AgentState } from "../state/agent-state.ts";

/** The result of {@link useAgent}: the conversation's state, and the user's actions. */
export interface UseAgent<Q extends QuestionTypes<Q> = AnyQuestions, T extends ToolTypes<T> = AnyTools>
  extends Omit<AgentState, "pending" | "messages">,
    Pick<AgentClient, "send" | "answer" | "fail" | "retry" | "stop" | "open" | "sessions"> {
  /** The conversation's messages. */
  messages: TypedMessage<T>[];
  /** The first pending question of each kind, e.g. `asked.show_options?.answer("plan")`. */
  asked: AskedByKind<Q>;
  /** All pending questions, in the order in which they were asked. */
  pending: readonly AnswerableQuestion[];
}

/**
 * Connects a component to a conversation with an agent while it is mounted. Opens another session when
 * `sessionId` changes. If the conversation has begun a session here, you may pass its id as `sessionId`, as
 * `sessionInUrl()` does: the conversation continues. The latest `headers`, `fetch`, `onEvent` and `onSession`
 * are used.
 *
 * To type questions and answers, see {@link QuestionTypes}; to type the calls in `messages`, see
 * {@link ToolTypes}.
 *
 * @example
 * ```ts
 * import { useAgent } from "@pawl/client/react";
 *
 * type Asks = { show_options: { payload: { question: string; options: string[] }; answer: string } };
 *
 * function useCoach() {
 *   const { messages, phase, asked, send } = useAgent<Asks>({ url: "/api/coach" });
 *   const { show_options: options } = asked;
 *   return { messages, phase, say: send, question: options?.payload.question, choose: options?.answer };
 * }
 * ```
 */
export function useAgent<Q extends QuestionTypes<Q> = AnyQuestions, T extends ToolTypes<T> = AnyTools>(
  options: AgentClientOptions,
): UseAgent<Q, T> {
  const { url, sessionId } = options;
  const isNew = useRef(true);
  if (isNew.current) checkClientOptions("useAgent()", options);
  isNew.current = false;
  const latest = useRef(options);
  latest.current = options;
  const client = useMemo(() => createAgentClient(readingFrom(latest, url)), [url]);
  useEffect(() => () => client.close(), [client]);
  const opened = useRef<{ client: AgentClient; sessionId: string | undefined }>(undefined);
  useEffect(() => {
    const state = client.getState();
    // The user has left the conversation for a new one, whose first message is in flight: show the new one.
    const isNew = sessionId === undefined && state.sessionId === undefined && state.phase === "submitting";
    // A component that is shown again with the same `sessionId` continues its conversation.
    const isSame = opened.current?.client === client && opened.current.sessionId === sessionId;
    if (!isNew) client.open(isSame ? state.sessionId : sessionId);
    opened.current = { client, sessionId };
  }, [client, sessionId]);
  const state = useSyncExternalStore(client.subscribe, client.getState, client.getState);
  const { send, answer, fail, retry, stop, open, sessions } = client;
  const pending = useMemo(() => answerable(state.pending, client), [state.pending, client]);
  const asked = useMemo(() => askedByKind<Q>(pending), [pending]);
  const messages = state.messages as unknown as TypedMessage<T>[];
  return useMemo(
    () => ({ ...state, messages, asked, pending, send, answer, fail, retry, stop, open, sessions }),
    [state, messages, asked, pending, send, answer, fail, retry, stop, open, sessions],
  );
}

/**
 * Returns options that read `headers`, `fetch` and `onEvent` from the latest rendering. They do not contain
 * the session: an effect opens it once the component is mounted.
 */
function readingFrom(latest: { readonly current: AgentClientOptions }, url: string): AgentClientOptions {
  const { silenceMs, newId } = latest.current;
  return {
    url,
    fetch: (input, init) => (latest.current.fetch ?? globalThis.fetch)(input, init),
    headers: () => {
      const { headers = {} } = latest.current;
      return typeof headers === "function" ? headers() : headers;
    },
    onEvent: (event) => latest.current.onEvent?.(event),
    onSession: (id) => latest.current.onSession?.(id),
    ...(silenceMs !== undefined && { silenceMs }),
    ...(newId !== undefined && { newId }),
  };
}
