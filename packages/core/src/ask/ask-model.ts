import { systemClock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { estimateTokens } from "../model/estimate.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Infer } from "../schema/schema.ts";
import type { AskOptions, AskOutcome } from "../tools/ask-types.ts";
import type { AnyAskOptions } from "./ask-options.ts";

/**
 * Asks a model once and returns its answer. With a `schema`, the answer has a typed and validated `output`.
 * In hooks and tools, use `context.askModel()` instead: it has the same options, keeps the run's limits and
 * charges the run.
 *
 * A field of the server's usage that the model client does not know is printed to the console.
 *
 * Only an output that does not match is retried. To retry failed requests too, wrap the model with
 * `resilient()`.
 *
 * @throws PawlError `model_error` if the request failed or `timeoutMs` is over; `unusable_answer` if the
 * model refused, its answer was cut off, or its output does not match the schema. `details.usage` and
 * `details.costUsd` are what the requests have used. `config` for invalid options.
 *
 * @example
 * ```ts
 * import { askModel } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const model = strictModel({
 *   script: [{ text: "Bonjour" }, { tools: [{ name: "answer", input: { mood: "glad", sure: true } }] }],
 * });
 * const { text } = await askModel(model, { prompt: "Translate into French: good morning" });
 * console.log(text); // Bonjour
 *
 * const { output } = await askModel(model, {
 *   system: "You judge the mood of a message.",
 *   prompt: "What a day!",
 *   schema: z.object({ mood: z.enum(["glad", "sad"]), sure: z.boolean() }),
 *   maxTokens: 200,
 * });
 * console.log(output.mood); // glad
 * ```
 */
export async function askModel<S = undefined>(
  model: ModelClient,
  options: AskOptions<S>,
): Promise<AskOutcome<[S] extends [undefined] ? undefined : Infer<S>>> {
  // In a chunk of its own: programs that only run agents do not load it.
  const { ASK_OPTIONS, askAndRemind, askOutcome, checkAsk } = await import("./index.ts");
  checkAsk("askModel()", model, options, ASK_OPTIONS);
  // As a runtime without `onError` does.
  const toFix = (error: unknown) => console.error(`pawl: ${PawlError.describe(error)}`);
  const place = { clock: systemClock, signal: undefined, estimateTokens, toFix };
  const end = await askAndRemind(model, options as AnyAskOptions, place);
  if ("error" in end) throw end.error;
  return askOutcome(end.answer, end.spent, end.output, false) as never;
}
