import { useMemo } from "react";
import { type AspClient, type AspClientOptions, createAspClient } from "../asp/asp-client.ts";
import type { AspEvent } from "../asp/asp-event.ts";
import type { AspState } from "../asp/asp-state.ts";
import { useClient } from "./use-client.ts";

/** The result of {@link useAsp}: the conversation's state, and the user's actions. */
export interface UseAsp
  extends AspState,
    Pick<AspClient, "send" | "answer" | "fail" | "retry" | "stop" | "open"> {}

/**
 * Connects a component to a conversation over ASP v2 while it is mounted. Opens another session when
 * `sessionId` changes. The latest `headers`, `fetch`, `onEvent` and `onSession` are used.
 *
 * @example
 * ```ts
 * import { sessionInUrl } from "@pawl/client";
 * import { useAsp } from "@pawl/client/react";
 *
 * function useCoach() {
 *   const { messages, phase, error, send, stop, retry } = useAsp({ url: "/api/coach", ...sessionInUrl() });
 *   const parts = messages.flatMap((message) => message.parts);
 *   const thoughts = parts.flatMap((part) => (part.type === "thinking" ? [part.text.length] : []));
 *   const calls = parts.flatMap((part) => (part.type === "tool" ? [`${part.toolName}: ${part.phase}`] : []));
 *   return { thoughts, calls, busy: phase === "streaming", problem: error?.message, send, stop, retry };
 * }
 * ```
 */
export function useAsp(options: AspClientOptions): UseAsp {
  const [client, state] = useClient<AspState, AspEvent, AspClient>("useAsp()", options, createAspClient);
  const { send, answer, fail, retry, stop, open } = client;
  return useMemo(
    () => ({ ...state, send, answer, fail, retry, stop, open }),
    [state, send, answer, fail, retry, stop, open],
  );
}
