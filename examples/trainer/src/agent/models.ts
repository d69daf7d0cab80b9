import { type Hook, type ModelClient, PawlError } from "@pawl/core";

/** The models that a request may ask for by name: those of the first trainer, and what has come since. */
export const trainerModels = [
  "claude-haiku-4-5",
  "claude-sonnet-4-5",
  "claude-opus-4-5",
  "claude-haiku-5-5",
  "claude-sonnet-5-5",
  "claude-opus-5-5",
] as const;

/** The model that is asked where a request names none. */
export const DEFAULT_MODEL = "claude-haiku-4-5";

/**
 * Lets each run be answered by the model that its request has asked for (`RunOptions.params.model`). A name
 * that is not among them is left to the agent's own model: it may come out of the log of an earlier version.
 *
 * @example
 * ```ts
 * import { modelChoice } from "@pawl/example-trainer";
 * import { strictModel } from "@pawl/testing";
 *
 * const hook = modelChoice([strictModel({ model: "claude-opus-4-5" })]);
 * console.log(hook.name); // model-choice
 * ```
 */
export function modelChoice(models: readonly ModelClient[]): Hook {
  return {
    name: "model-choice",
    beforeTurn: (_, { run }) => {
      const model = models.find(({ id }) => id === run.params.model);
      return model && { model };
    },
  };
}

/**
 * The name of a model as a request says it.
 *
 * @throws PawlError `invalid_input` for one that is not served.
 */
export function askedModel(name: unknown, served: readonly string[]): string {
  if (typeof name === "string" && served.includes(name)) return name;
  throw new PawlError("invalid_input", `The model must be one of ${served.join(", ")}.`);
}
