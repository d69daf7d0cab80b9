import type { ModelClient, ModelRequest, PawlError } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";

/** An answer of a model, read to its end or to its error. */
export interface ReadAnswer {
  events: ModelEvent[];
  error?: PawlError;
}

/** Makes a function that reads a model's answer to its end, or to the error. `usual` is the default request. */
export function answersTo(usual: ModelRequest) {
  return async (
    model: ModelClient,
    signal: AbortSignal = new AbortController().signal,
    request: ModelRequest = usual,
  ): Promise<ReadAnswer> => {
    const events: ModelEvent[] = [];
    try {
      for await (const event of model.stream(request, { signal })) events.push(event);
      return { events };
    } catch (error) {
      return { events, error: error as PawlError };
    }
  };
}
