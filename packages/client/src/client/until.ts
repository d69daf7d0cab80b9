import type { AgentState } from "../state/agent-state.ts";
import type { AgentClient } from "./agent-client.ts";

/**
 * Waits until a conversation's state meets a condition, e.g. the end of an answer. For scripts and tests;
 * pages use `subscribe`. Checks the condition now and after every change.
 *
 * @param signal ends the wait. Default: waits without limit
 * @returns the state that met the condition
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
