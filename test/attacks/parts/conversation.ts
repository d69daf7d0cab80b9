import { type AgentOptions, agent, type ModelClient, memoryStore, runtime } from "@pawl/core";

/** An agent and one conversation with it, in process. */
export function conversation(
  model: ModelClient,
  options: Partial<AgentOptions<unknown>> = {},
  store = memoryStore(),
) {
  const helper = agent({
    name: "helper",
    instructions: "You help.",
    model,
    ...options,
  } as AgentOptions<unknown>);
  const errors: unknown[] = [];
  const pawl = runtime({ agents: [helper], store, onError: (error) => errors.push(error) });
  const begin = (input: string, sessionId?: string) =>
    pawl.run(helper, { userId: "ada", input, ...(sessionId !== undefined && { sessionId }) });
  let sessionId: string | undefined;
  return {
    pawl,
    helper,
    /** What `runtime({ onError })` was told. */
    errors,
    begin,
    /** Sends a message, and resolves to the result of its run. */
    say: async (input: string) => {
      const result = await begin(input, sessionId).result;
      sessionId = result.sessionId;
      return result;
    },
  };
}
