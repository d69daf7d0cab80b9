import { failureCause } from "../../base/circuit.ts";
import type { ModelFailure } from "../../base/errors.ts";
import { isEqualJson, type JsonObject } from "../../base/json.ts";
import { answerCheck } from "../answer-check.ts";
import { checkModel } from "../check-model.ts";
import { attemptFailed, cutStream, decorate, failureOf } from "../failure.ts";
import type { AttemptFailed, ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../model-client.ts";
import { checkPricing } from "../pricing.ts";

/**
 * Returns a model that asks `primary` and, if that fails, the other models in order. An
 * `attempt_failed` event names the next model, which is asked at once. Every request begins with `primary`,
 * and the returned model has its `id`.
 *
 * The next model is asked after these failures:
 *
 * - The failure is retryable, e.g. the model is unreachable, or its circuit is open.
 * - The model is overloaded.
 * - The API does not know the model.
 *
 * Any other failure is thrown, and so is a failure of the last model.
 *
 * To retry each model before the next one is asked, wrap each: `withFallback(withRetry(a), withRetry(b))`. A
 * model ignores thinking that another model signed.
 *
 * @throws PawlError `config` for prices that are not valid numbers.
 *
 * @example
 * ```ts
 * import { withFallback } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const large = scriptedModel([{ fault: { status: 529 } }], { id: "large" });
 * const small = scriptedModel([{ text: "Here I am." }], { id: "small" });
 * const model = withFallback(large, small);
 * const request = { system: [], tools: [], messages: [], maxTokens: 100 };
 * for await (const event of model.stream(request, { signal: AbortSignal.timeout(1000) })) {
 *   if (event.type === "attempt_failed") console.log(`${event.error.message}, so ${event.model} answers`);
 * }
 * ```
 */
export function withFallback(primary: ModelClient, ...others: readonly ModelClient[]): ModelClient {
  const models = [primary, ...others];
  for (const model of models) checkModel("Each model of withFallback()", model);
  for (const { id, pricing } of models) checkPricing(id, pricing);
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<ModelEvent, void> {
    for (const [index, model] of models.entries()) {
      const check = answerCheck();
      try {
        for await (const event of model.stream(request, optionsFor(index, options))) {
          check(event);
          yield event;
          if (event.type === "message_stop") return;
        }
        throw cutStream();
      } catch (error) {
        const hasFailed = failureCause(options.signal) === "failed";
        const announcement = hasFailed ? announce(error, models[index + 1]) : undefined;
        if (announcement === undefined) throw error;
        yield announcement;
      }
    }
  }
  // Each model may get a request that forces a tool, so all must support it.
  const forcedToolChoice = models.every((model) => model.forcedToolChoice === true);
  // The format of `primary` is replaced by one that all models accept, or removed.
  const { outputFormat: _, ...decorated } = decorate(primary, stream);
  const allModels = models.flatMap((model) => model.models ?? [model]);
  // Each model may get a request with files, so all must read them.
  const reads = (primary.reads ?? []).filter((kind) => models.every((model) => model.reads?.includes(kind)));
  return {
    ...decorated,
    ...(models.every((model) => model.outputFormat !== undefined) && {
      outputFormat: (schema: JsonObject) => commonFormat(models, schema),
    }),
    forcedToolChoice,
    reads,
    models: allModels.map(({ id, pricing }) => ({ id, ...(pricing !== undefined && { pricing }) })),
  };
}

/**
 * Returns the options for a model. Attempts that failed before a long wait count as those of the first model.
 */
function optionsFor(index: number, options: StreamOptions): StreamOptions {
  return index === 0 ? options : { ...options, failedAttempts: 0 };
}

/** Returns the schema in the form that all models accept; `undefined` if their forms differ. */
function commonFormat(models: readonly ModelClient[], schema: JsonObject): JsonObject | undefined {
  const [first, ...others] = models.map((model) => model.outputFormat?.(schema));
  return others.every((form) => form !== undefined && isEqualJson(form, first)) ? first : undefined;
}

/** Returns the event that announces the next model; `undefined` if no other model may help. */
function announce(error: unknown, next: ModelClient | undefined): AttemptFailed | undefined {
  const failure = failureOf(error);
  if (next === undefined || failure === undefined || !anotherModelMayHelp(failure)) return undefined;
  return attemptFailed(error, failure, next, 0);
}

/** Returns whether another model may succeed after this failure. */
function anotherModelMayHelp({ retryable, status, type }: ModelFailure): boolean {
  const isOutcomeUnknown = status === 404 || type === "not_found_error";
  // An overloaded server may declare its failure not retryable. Another model may still answer.
  const isOverloaded = status === 529 || type === "overloaded_error";
  return retryable || isOutcomeUnknown || isOverloaded;
}
