import { type Hook, type ModelClient, PawlError } from "@pawl/core";

/** The names of the models that a request may choose. Clients of earlier versions send the older names. */
export const trainerModels = [
  "claude-haiku-4-5",
  "claude-sonnet-4-5",
  "claude-opus-4-5",
  "claude-haiku-5-5",
  "claude-sonnet-5-5",
  "claude-opus-5-5",
] as const;

/** The model that answers when a request names none. */
export const DEFAULT_MODEL = "claude-haiku-4-5";

/**
 * Creates a hook that answers each run with the model that its request chose (`RunOptions.params.model`). If
 * `models` does not have that model, e.g. in a log of an earlier version, the agent's own model answers.
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
 * Validates a model name from a request.
 *
 * @throws PawlError `invalid_input` if `name` is not in `served`.
 */
export function askedModel(name: unknown, served: readonly string[]): string {
  if (typeof name === "string" && served.includes(name)) return name;
  throw new PawlError("invalid_input", `The model must be one of ${served.join(", ")}.`);
}
