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
import type { AgentState } from "../state/agent-state.ts";

/** The result of {@link useAgent}: the conversation's state, and the user's actions. */
export interface UseAgent<Q extends QuestionTypes<Q> = AnyQuestions>
  extends Omit<AgentState, "pending">,
    Pick<AgentClient, "send" | "answer" | "fail" | "retry" | "stop" | "open"> {
  /** The first pending question of each kind, e.g. `asked.show_options?.answer("plan")`. */
  asked: AskedByKind<Q>;
  /** All pending questions, in the order in which they were asked. */
  pending: readonly AnswerableQuestion[];
}

/**
 * Connects a component to a conversation with an agent while it is mounted. Opens another session when
 * `sessionId` changes. If the conversation has begun a session here, you may pass its id as `sessionId`: the
 * conversation continues. The latest `headers`, `fetch` and `onEvent` are used. To type questions and
 * answers, see {@link QuestionTypes}.
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
export function useAgent<Q extends QuestionTypes<Q> = AnyQuestions>(
  options: AgentClientOptions,
): UseAgent<Q> {
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
    // A component that is shown again with the same `sessionId` continues its conversation.
    const isSame = opened.current?.client === client && opened.current.sessionId === sessionId;
    client.open(isSame ? client.getState().sessionId : sessionId);
    opened.current = { client, sessionId };
  }, [client, sessionId]);
  const state = useSyncExternalStore(client.subscribe, client.getState, client.getState);
  const { send, answer, fail, retry, stop, open } = client;
  const pending = useMemo(() => answerable(state.pending, client), [state.pending, client]);
  const asked = useMemo(() => askedByKind<Q>(pending), [pending]);
  return useMemo(
    () => ({ ...state, asked, pending, send, answer, fail, retry, stop, open }),
    [state, asked, pending, send, answer, fail, retry, stop, open],
  );
}

/**
 * Returns options that read `headers`, `fetch` and `onEvent` from the latest rendering. They lack the
 * session: an effect opens it once the component is mounted.
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
    ...(silenceMs !== undefined && { silenceMs }),
    ...(newId !== undefined && { newId }),
  };
}
