import { type StrictModelOptions, strictModel } from "@pawl/testing";
import { expect } from "vitest";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { assertRebuilds } from "../../../../test/support/rebuild.ts";
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
  const { store = memoryStore() } = more;
  const model = strictModel({ rules });
  const helper = agent({ name: "helper", model, instructions: "You help.", ...options });
  const errors: unknown[] = [];
  const pawl = runtime({ agents: [helper], onError: (error) => void errors.push(error), ...more, store });
  let sessionId: string | undefined;
  const say = async (input: string) => {
    const result = await pawl.run("helper", { userId: "ada", input, ...(sessionId && { sessionId }) }).result;
    sessionId = result.sessionId;
    return result;
  };
  const log = async (id = sessionId ?? "") => await Array.fromAsync(store.read(id));
  return {
    ...{ model, errors, pawl, helper, say, log },
    checkpoints: async () =>
      (await log()).flatMap((event) => (event.type === "checkpoint" ? [event.data] : [])),
    /** The types of the stop reasons with which the runs of these messages end. */
    stops: async (...inputs: string[]) => {
      const types: string[] = [];
      for (const input of inputs) types.push((await say(input)).stop.type);
      return types;
    },
    /** Asserts that every request was valid, and that the log has all of them, each extending the last. */
    check: async () => {
      expect(model.rejected).toEqual([]);
      assertSoundLog(await log());
      await assertRebuilds([await log()], model.requests as never);
    },
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

/** The last message of a request, as text. */
export const lastOf = (request: Asked): string => texts({ ...request, messages: request.messages.slice(-1) });

/** Whether a request has the word FORBIDDEN, which is refused. */
export const bad = (request: Asked) => texts(request).includes("FORBIDDEN");
export const filtered = {
  fault: { status: 400, message: "The prompt triggered the content policy.", errorCode: "content_filter" },
};

/** The ways to refuse: by a filter, and by the model itself. */
export const REFUSALS: [string, Awaited<ReturnType<Rules>>][] = [
  ["a filter", filtered],
  ["the model", { text: "", stop: "refusal" }],
];
/** Refuses each request with the word FORBIDDEN by `refusal`. */
export const refusing =
  (refusal: Awaited<ReturnType<Rules>>, otherwise: Rules): Rules =>
  (request, ...rest) =>
    bad(request) ? refusal : otherwise(request, ...rest);
