import type { ModelClient, ModelEvent } from "./model-client.ts";
import type { Pricing } from "./pricing.ts";

/** The id of an `answering()` model. */
export const ANSWERING = "answering";

/** The id of a `deciding()` model. */
export const DECIDING = "deciding";

/** Returns whether code answers in place of a model, by the id of the latter. */
export function isCode(modelId: string): boolean {
  return modelId === ANSWERING || modelId === DECIDING;
}

/** The prices of a model that is code. */
export const FREE: Pricing = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/**
 * Returns a model that always answers with `text`, at no cost. Return it as `model` from a hook's
 * `beforeTurn` to answer in place of the agent's model.
 *
 * @example
 * ```ts
 * import { answering, type Hook } from "@pawl/core";
 *
 * const closed: Hook = {
 *   name: "closed",
 *   beforeTurn: (_plan, { session }) =>
 *     session.metadata.closed === true ? { model: answering("We are closed today.") } : undefined,
 * };
 * console.log(closed.name);
 * ```
 */
export function answering(text: string): ModelClient {
  const usage = { input_tokens: 0, output_tokens: 0 };
  async function* stream(): AsyncGenerator<ModelEvent, void> {
    yield { type: "message_start", message: { id: ANSWERING, model: ANSWERING, usage } };
    yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
    yield { type: "content_block_stop", index: 0 };
    yield { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
    yield { type: "message_stop" };
  }
  return { id: ANSWERING, pricing: FREE, stream };
}
