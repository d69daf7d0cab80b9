import { checkArgument } from "./check-client.ts";

/**
 * Waits until a conversation's state meets a condition, e.g. that the answer has ended. For scripts and
 * tests; pages use `subscribe`. Resolves to the state that met the condition. Rejects with the signal's
 * reason if `signal` aborts; without a signal, waits without limit. A refused message begins no run: check
 * the value that `send()` resolves to before you wait for the run's end.
 *
 * @example
 * ```ts
 * import { createAgentClient, until } from "@pawl/client";
 *
 * const client = createAgentClient({ url: "/api/coach" });
 * const { messages } = await until(
 *   client,
 *   ({ phase }) => phase === "idle",
 *   AbortSignal.timeout(5_000),
 * );
 * console.log(messages.length); // 0
 * client.close();
 * ```
 */
export function until<State>(
  client: { getState(): State; subscribe(listener: () => void): () => void },
  isThere: (state: NoInfer<State>) => boolean,
  signal?: AbortSignal,
): Promise<State> {
  checkArgument("`subscribe` of the client for until()", client?.subscribe, "function");
  checkArgument("The condition of until()", isThere, "function");
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
