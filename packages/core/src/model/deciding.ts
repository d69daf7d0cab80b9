import { kindOf } from "../base/check-options.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import { shapeOf } from "../base/invalid-input.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { jsonLoss } from "../base/json-loss.ts";
import { DECIDING, FREE } from "./answering.ts";
import type { CurrentRun, FinishedCall, ModelClient, ModelEvent, ModelRequest } from "./model-client.ts";

/** A call that the function of `deciding()` makes. */
export interface DecidedCall {
  /** The name of the tool. */
  call: string;
  /** The input. Default: `{}`. */
  input?: JsonObject;
}

/** What the function of `deciding()` returns: one call, several calls at once, or the run's last text. */
export type Decision = DecidedCall | readonly DecidedCall[] | string;

/**
 * Makes a model out of a function: code decides which tool is called next, and with which text the run ends.
 * It costs nothing. Use it as the `model` of an agent, or return it as the `model` of a hook's `beforeTurn`.
 *
 * The function gets the calls of the run so far, in order, with their results. It returns a call, a list of
 * calls that run at the same time, or a text, which ends the run. It also gets the user's last message and a
 * `signal` that aborts when the run is stopped. Let it depend on the results and the message only: then
 * another process resumes the run in the same way.
 *
 * The run ends as `error` if the function throws, returns anything else, or calls a tool that the agent does
 * not have.
 *
 * @throws PawlError `config` if `decide` is not a function.
 *
 * @example
 * ```ts
 * import { agent, deciding, memoryStore, runtime, tool } from "@pawl/core";
 * import * as z from "zod";
 *
 * const look = tool({
 *   name: "look",
 *   description: "Looks at the sky.",
 *   input: z.object({ city: z.string() }),
 *   execute: ({ city }) => `rain in ${city}`,
 * });
 * const weather = agent({
 *   name: "weather",
 *   model: deciding((results, { message }) =>
 *     results.length === 0 ? { call: "look", input: { city: message } } : `Now: ${results[0]?.result}`,
 *   ),
 *   instructions: "Code decides.",
 *   tools: [look],
 * });
 * const pawl = runtime({ agents: [weather], store: memoryStore() });
 * const { text } = await pawl.run("weather", { userId: "ada", input: "Oslo" }).result;
 * console.log(text); // Now: rain in Oslo
 * ```
 */
export function deciding(
  decide: (
    results: readonly FinishedCall[],
    run: { message: string; signal: AbortSignal },
  ) => Decision | Promise<Decision>,
): ModelClient {
  if (typeof decide !== "function")
    throw new PawlError("config", `deciding() must be given a function; got ${kindOf(decide)}.`);
  return {
    id: DECIDING,
    pricing: FREE,
    forcedToolChoice: true,
    reads: ["image", "pdf"],
    async *stream(request, { signal, run }) {
      if (run === undefined) throw new PawlError("config", "A deciding() model answers only within runs.");
      const soFar = await run();
      signal.throwIfAborted();
      const decision = await decided(
        async () => await decide(soFar.results, { message: soFar.message, signal }),
      );
      signal.throwIfAborted();
      yield* answerOf(decision, request, soFar);
    },
  };
}

/** Calls the application's function. Its error is no failure of a model, which a retry might overcome. */
async function decided(decide: () => Promise<unknown>): Promise<unknown> {
  try {
    return await decide();
  } catch (cause) {
    throw new PawlError("config", `The function of deciding() failed: ${messageOf(cause)}`, { cause });
  }
}

/** Yields the events of an answer: a text, or calls. */
function* answerOf(decision: unknown, { tools }: ModelRequest, run: CurrentRun): Generator<ModelEvent, void> {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const calls = typeof decision === "string" ? [] : checkedCalls(decision, tools);
  yield { type: "message_start", message: { id: DECIDING, model: DECIDING, usage } };
  if (typeof decision === "string") {
    yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: decision } };
    yield { type: "content_block_stop", index: 0 };
  }
  for (const [index, { call: name, input }] of calls.entries()) {
    // The same ids in every process: the run's id, and the number of the call.
    const id = `toolu_${run.runId.replace(/[^a-zA-Z0-9_-]/g, "_")}_${run.results.length + index}`;
    yield { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } };
    const partial_json = JSON.stringify(input ?? {});
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
    yield { type: "content_block_stop", index };
  }
  const stop_reason = typeof decision === "string" ? "end_turn" : "tool_use";
  yield { type: "message_delta", delta: { stop_reason }, usage };
  yield { type: "message_stop" };
}

/** Returns the calls of a decision. @throws PawlError `config` if it is not a valid one */
function checkedCalls(decision: unknown, tools: ModelRequest["tools"]): DecidedCall[] {
  const calls: unknown[] = Array.isArray(decision) ? decision : [decision];
  if (calls.length === 0) throw wrongDecision("an empty list");
  const names = tools.map(({ name }) => name);
  return calls.map((one) => {
    const { call, input = {} } = Object(one) as { call?: unknown; input?: unknown };
    if (typeof call !== "string") throw wrongDecision(shapeOf(one));
    if (!names.includes(call))
      throw new PawlError(
        "config",
        `deciding() called "${call}", which is not a tool of the agent; it has ${names.join(", ") || "none"}.`,
      );
    if (typeof input !== "object" || input === null || Array.isArray(input))
      throw new PawlError(
        "config",
        `\`input\` of the call of "${call}" must be an object; got ${kindOf(input)}.`,
      );
    const loss = jsonLoss(input as Json, "input");
    if (loss !== undefined)
      throw new PawlError("config", `\`input\` of the call of "${call}" must be JSON; ${loss}.`);
    return { call, input: input as JsonObject };
  });
}

function wrongDecision(got: string): PawlError {
  const what = 'a text, a call, e.g. { call: "search", input: { query: "…" } }, or a list of calls';
  return new PawlError("config", `The function of deciding() must return ${what}; got ${got}.`);
}
