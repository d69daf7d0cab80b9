import { type StrictModelOptions, strictModel } from "@pawl/testing";
import { type AgentOptions, agent, memoryStore, type RuntimeOptions, runtime } from "../../src/index.ts";

export type Rules = NonNullable<StrictModelOptions["rules"]>;
export type Asked = Parameters<Rules>[0];

export const texts = (request: Asked) => JSON.stringify(request.messages);
export const says = (text: string) => ({ text });

/** A session with an agent over a simulated API. */
export function talk(
  rules: Rules,
  options: Partial<AgentOptions<undefined>> = {},
  more: Partial<RuntimeOptions<undefined>> = {},
) {
  const store = memoryStore();
  const model = strictModel({ rules });
  const helper = agent({ name: "helper", model, instructions: "You help.", ...options });
  const errors: unknown[] = [];
  const pawl = runtime({ agents: [helper], store, onError: (error) => void errors.push(error), ...more });
  let sessionId: string | undefined;
  return {
    model,
    errors,
    say: async (input: string) => {
      const result = await pawl.run("helper", { userId: "ada", input, ...(sessionId && { sessionId }) })
        .result;
      sessionId = result.sessionId;
      return result;
    },
    checkpoints: async () =>
      (await Array.fromAsync(store.read(sessionId ?? ""))).flatMap((event) =>
        event.type === "checkpoint" ? [event.data] : [],
      ),
  };
}

/** An API whose window has this many tokens, one for each character of the messages. */
export const windowOf =
  (
    most: number,
    otherwise: Rules,
    words = (tokens: number) => `prompt is too long: ${tokens} tokens > ${most} maximum`,
  ): Rules =>
  (request, ...rest) => {
    const tokens = texts(request).length;
    return tokens > most
      ? { fault: { status: 400, message: words(tokens), errorCode: "context_length_exceeded" } }
      : otherwise(request, ...rest);
  };

/** Whether a request has the word FORBIDDEN, which is refused. */
export const bad = (request: Asked) => texts(request).includes("FORBIDDEN");
export const filtered = {
  fault: { status: 400, message: "The prompt triggered the content policy.", errorCode: "content_filter" },
};
