import type { SessionEvent } from "@pawl/core";
import type { AnyAgent, OutputOf, ToolTypesOf } from "@pawl/core/view";
import { useMemo } from "react";
import {
  type AgentClient,
  type AgentClientOptions,
  createAgentClient,
  type TypedState,
} from "../client/agent-client.ts";
import type { AnyQuestions, QuestionTypes } from "../client/question-types.ts";
import { type AskedByKind, answerable, askedByKind, type PendingOf } from "../client/questions.ts";
import type { AnyTools, ToolTypes } from "../client/tool-types.ts";
import { useClient } from "./use-client.ts";

/** The result of {@link useAgent}: the conversation's state, and the user's actions. */
export interface UseAgent<A = AnyQuestions, T = ToolTypesOf<A>>
  extends Omit<TypedState<T, OutputOf<A>>, "pending">,
    Pick<
      AgentClient,
      "send" | "answer" | "fail" | "retry" | "stop" | "open" | "loadOlder" | "sessions" | "file"
    > {
  /** The first pending question of each kind, e.g. `asked.show_options?.answer("plan")`. */
  asked: AskedByKind<A>;
  /** All pending questions, in the order in which they were asked. Compare `kind` to narrow one. */
  pending: readonly PendingOf<A>[];
}

/**
 * Connects a component to a conversation with an agent while it is mounted. Opens another session when
 * `sessionId` changes. If the conversation has begun a session here, you may pass its id as `sessionId`, as
 * `sessionInUrl()` does: the conversation continues. The latest `headers`, `fetch`, `tools`, `onEvent` and
 * `onSession` are used.
 *
 * `useAgent<typeof agent>` has the types of the agent's calls and questions. Import only its type, so that no
 * code of the server reaches the page: `import type { agent } from "../server/agent.js"`. If the page has no
 * access to that type, see {@link QuestionTypes} and {@link ToolTypes}.
 *
 * @example
 * ```ts
 * import { useAgent } from "@pawl/client/react";
 * import { agent, tool } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * // On the server. The page has `import type { coach } from "../server/coach.js"`.
 * const measure = tool({
 *   name: "measure",
 *   description: "Measures the user's pulse.",
 *   input: z.object({}),
 *   execute: () => ({ pulse: 60 }),
 * });
 * const options = tool({
 *   name: "show_options",
 *   description: "Lets the user choose.",
 *   input: z.object({ question: z.string(), options: z.array(z.string()) }),
 *   suspends: { answer: z.object({ option: z.string() }) },
 * });
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([]),
 *   instructions: "You coach.",
 *   tools: [measure, options],
 * });
 *
 * function useCoach() {
 *   const { messages, asked, send } = useAgent<typeof coach>({ url: "/api/coach" });
 *   const parts = messages.flatMap((message) => message.parts);
 *   const pulses = parts.flatMap((part) =>
 *     part.type === "tool" && part.toolName === "measure" && part.phase === "done"
 *       ? [part.result.pulse]
 *       : [],
 *   );
 *   const { show_options } = asked;
 *   const choose = (option: string) => show_options?.answer({ option });
 *   return { pulses, say: send, question: show_options?.payload.question, choose };
 * }
 * ```
 */
export function useAgent<Q extends QuestionTypes<Q> = AnyQuestions, T extends ToolTypes<T> = AnyTools>(
  options: AgentClientOptions<NoInfer<T>>,
): UseAgent<Q, T>;
export function useAgent<A extends AnyAgent>(options: AgentClientOptions<ToolTypesOf<A>>): UseAgent<A>;
export function useAgent(options: AgentClientOptions): UseAgent {
  const [client, state] = useClient<TypedState, SessionEvent, AgentClient>(
    "useAgent()",
    options,
    createAgentClient,
  );
  const pending = useMemo(() => answerable(state.pending, client), [state.pending, client]);
  const asked = useMemo(() => askedByKind(pending), [pending]);
  return useMemo(() => {
    const { getState: _, subscribe: __, close: ___, ...actions } = client;
    return { ...state, ...actions, asked, pending };
  }, [state, client, asked, pending]);
}
