import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { type AgentClient, type AgentClientOptions, createAgentClient } from "./agent-client.ts";
import type { AgentState } from "./agent-state.ts";

/** What a component sees of a conversation, and what it can do. */
export type UseAgent = AgentState & Pick<AgentClient, "send" | "answer" | "stop" | "open">;

/**
 * A conversation with an agent, for as long as the component is shown. `sessionId` may change: another session is opened
 * then; a session that begins here may be handed back in. `headers`, `fetch` and `onEvent` are taken as they are last.
 *
 * @example
 * ```ts
 * import { useAgent } from "@pawl/client/react";
 *
 * function useCoach() {
 *   const { messages, phase, send } = useAgent({ url: "/api/coach" });
 *   return { messages, isBusy: phase !== "idle", say: (text: string) => send(text) };
 * }
 * ```
 */
export function useAgent(options: AgentClientOptions): UseAgent {
  const { url, sessionId } = options;
  const latest = useRef(options);
  latest.current = options;
  const client = useMemo(() => createAgentClient(readingFrom(latest, url)), [url]);
  useEffect(() => () => client.close(), [client]);
  useEffect(() => client.open(sessionId), [client, sessionId]);
  const state = useSyncExternalStore(client.subscribe, client.getState, client.getState);
  const { send, answer, stop, open } = client;
  return useMemo(() => ({ ...state, send, answer, stop, open }), [state, send, answer, stop, open]);
}

/** Options that look up what may change with every rendering. The session is opened once the component is shown. */
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
