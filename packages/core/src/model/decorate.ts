import type { ModelClient } from "./model-client.ts";

/** `model` with another way to stream; all else that it says of itself stays. */
export function decorate(model: ModelClient, stream: ModelClient["stream"]): ModelClient {
  const { id, pricing, forcedToolChoice } = model;
  return {
    ...model,
    id,
    ...(pricing !== undefined && { pricing }),
    ...(forcedToolChoice !== undefined && { forcedToolChoice }),
    stream,
  };
}
