import { useCallback, useEffect, useRef, useState } from "react";
import type { AgentFailure } from "../state/agent-state.ts";
import type { ListedSession } from "../wire/library.ts";
import type { UseAgent } from "./use-agent.ts";

/** The result of {@link useSessions}. */
export interface UseSessions {
  /** The user's last 50 sessions with the agent, newest first. `undefined` until they are loaded. */
  sessions: readonly ListedSession[] | undefined;
  /** Why the last request failed. The sessions of an earlier request stay. */
  error: AgentFailure | undefined;
  /** Loads the list again. */
  reload(): void;
}

/**
 * Lists the user's sessions, for a menu of conversations. Loads the list again when a run of `agent` begins,
 * waits or ends. To show one of them, call `agent.open(session.id)`.
 *
 * @example
 * ```ts
 * import { sessionInUrl } from "@pawl/client";
 * import { useAgent, useSessions } from "@pawl/client/react";
 *
 * function useConversations() {
 *   const agent = useAgent({ url: "/api/coach", ...sessionInUrl() });
 *   const { sessions = [] } = useSessions(agent);
 *   return sessions.map(({ id, title = "New conversation" }) => ({ title, open: () => agent.open(id) }));
 * }
 * ```
 */
export function useSessions({
  sessions: load,
  run,
  connection,
}: Pick<UseAgent, "sessions" | "run" | "connection">): UseSessions {
  const [listed, setListed] = useState<Omit<UseSessions, "reload">>({
    sessions: undefined,
    error: undefined,
  });
  const latest = useRef(0);
  const reload = useCallback(() => {
    latest.current += 1;
    const request = latest.current;
    // A slow response must not replace the response of a later request.
    const set = (change: Partial<UseSessions>) =>
      request === latest.current && setListed((before) => ({ ...before, ...change }));
    load().then(
      (sessions) => set({ sessions, error: undefined }),
      ({ code, message }: AgentFailure) => set({ error: { code, message } }),
    );
  }, [load]);
  // A short run may begin and end between two renderings: then only its id changes.
  const shown = run && `${run.id} ${run.open}`;
  const latestShown = useRef(shown);
  latestShown.current = shown;
  const listedFor = useRef<string>(undefined);
  useEffect(() => {
    listedFor.current = latestShown.current;
    reload();
  }, [reload]);
  useEffect(() => {
    const isListed = shown === listedFor.current;
    listedFor.current = shown;
    // While the client connects, it loads the run of a session that was opened: no run begins or ends.
    if (shown !== undefined && !isListed && connection !== "connecting") reload();
  }, [reload, shown, connection]);
  return { ...listed, reload };
}
