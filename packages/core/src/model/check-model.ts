import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { ModelClient } from "./model-client.ts";

/** Checks that a value is a model. @throws PawlError `config` that says where it was expected */
export function checkModel(where: string, model: unknown): asserts model is ModelClient {
  if (typeof (Object(model) as Partial<ModelClient>).stream === "function") return;
  const example = 'e.g. claude("claude-sonnet-5-5")';
  throw new PawlError("config", `${where} must be a ModelClient, ${example}; got ${kindOf(model)}.`);
}
