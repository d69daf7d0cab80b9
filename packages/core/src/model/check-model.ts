import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { ModelClient } from "./model-client.ts";

/**
 * Checks that a value is a `ModelClient`. @throws PawlError `config`; `where` names the value in its message
 */
export function checkModel(where: string, model: unknown): asserts model is ModelClient {
  if (typeof (Object(model) as Partial<ModelClient>).stream === "function") return;
  const example = 'e.g. claude("claude-sonnet-5-5")';
  throw new PawlError("config", `${where} must be a ModelClient, ${example}; got ${kindOf(model)}.`);
}
