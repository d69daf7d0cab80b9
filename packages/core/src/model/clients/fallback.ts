import type { ModelFailure } from "../../base/errors.ts";
import { isEqualJson, type JsonObject } from "../../base/json.ts";
import { answerCheck } from "../answer-check.ts";
import { checkModel } from "../check-model.ts";
import { attemptFailed, cutStream, decorate, failureOf } from "../failure.ts";
import type { AttemptFailed, ModelClient, ModelEvent, ModelRequest, StreamOptions } from "../model-client.ts";
import { checkPricing } from "../pricing.ts";

/**
 * Returns a model that asks `primary` and, if that fails, the other models in order. The next model is asked
 * at once if the failure is retryable (e.g. the model is overloaded or unreachable, or its circuit is open)
 * or the API does not know the model. An `attempt_failed` event names the next model. Any other failure is
 * thrown, and so is a failure of the last model. Every request begins with `primary`, and the returned model
 * has its `id`.
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
    for (const [place, model] of models.entries()) {
      const check = answerCheck();
      try {
        for await (const event of model.stream(request, boundsAt(place, options))) {
          check(event);
          yield event;
          if (event.type === "message_stop") return;
        }
        throw cutStream();
      } catch (error) {
        const handedOn = options.signal.aborted ? undefined : handOn(error, models[place + 1]);
        if (handedOn === undefined) throw error;
        yield handedOn;
      }
    }
  }
  // Any of the models may get a request that forces a tool.
  const forcedToolChoice = models.every((model) => model.forcedToolChoice === true);
  const { outputFormat: _, ...decorated } = decorate(primary, stream);
  const asked = models.flatMap((model) => model.models ?? [model]);
  // The same holds for a request with files.
  const reads = (primary.reads ?? []).filter((kind) => models.every((model) => model.reads?.includes(kind)));
  return {
    ...decorated,
    ...(models.every((model) => model.outputFormat !== undefined) && {
      outputFormat: (schema: JsonObject) => commonFormat(models, schema),
    }),
    forcedToolChoice,
    reads,
    models: asked.map(({ id, pricing }) => ({ id, ...(pricing !== undefined && { pricing }) })),
  };
}

/** The attempts that failed before this process count as the first model's. */
function boundsAt(place: number, options: StreamOptions): StreamOptions {
  return place === 0 ? options : { ...options, failedAttempts: 0 };
}

/** Returns the schema in the form that all models accept; `undefined` if their forms differ. */
function commonFormat(models: readonly ModelClient[], schema: JsonObject): JsonObject | undefined {
  const [first, ...others] = models.map((model) => model.outputFormat?.(schema));
  return others.every((form) => form !== undefined && isEqualJson(form, first)) ? first : undefined;
}

/** Returns the event that announces the next model; `undefined` if no other model may help. */
function handOn(error: unknown, next: ModelClient | undefined): AttemptFailed | undefined {
  const failure = failureOf(error);
  if (next === undefined || failure === undefined || !anotherMay(failure)) return undefined;
  return attemptFailed(error, failure, next, 0);
}

/** Returns whether another model may succeed after this failure. */
function anotherMay({ retryable, status, type }: ModelFailure): boolean {
  const unknown = status === 404 || type === "not_found_error";
  // An overloaded server may declare its failure not retryable. Another model may still answer.
  const overloaded = status === 529 || type === "overloaded_error";
  return retryable || unknown || overloaded;
}
