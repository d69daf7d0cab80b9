import type { AgentState } from "../state/agent-state.ts";
import type { AgentClient } from "./agent-client.ts";

/**
 * Waits for a conversation to come to where it is wanted, e.g. to the end of an answer: for scripts and
 * tests, as a page is told by `subscribe`. It is looked at now and after every change.
 *
 * @param signal ends the wait; without it a state that never comes is waited for as long as the client is
 * there
 * @returns the state that it is in then
 * @throws the signal's reason
 *
 * @example
 * ```ts
 * import { createAgentClient, until } from "@pawl/client";
 *
 * const coach = createAgentClient({ url: "http://localhost:9/api/coach" });
 * await coach.send("Good morning");
 * const { phase, error } = await until(
 *   coach,
 *   ({ phase }) => phase === "idle" || phase === "suspended" || phase === "error",
 * );
 * console.log(phase, error?.code); // error network
 * coach.close();
 * ```
 */
export function until(
  client: Pick<AgentClient, "getState" | "subscribe">,
  isThere: (state: AgentState) => boolean,
  signal?: AbortSignal,
): Promise<AgentState> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = client.getState();
      try {
        if (isThere(state)) end(() => resolve(state));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const stop = () => end(() => reject(signal?.reason));
    const end = (settle: () => void) => {
      unsubscribe();
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const unsubscribe = client.subscribe(look);
    if (signal?.aborted) return stop();
    signal?.addEventListener("abort", stop);
    look();
  });
}
