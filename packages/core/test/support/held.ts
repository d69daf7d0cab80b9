import type { ModelClient } from "../../src/index.ts";
import type { ModelEvent } from "../../src/model.ts";

/** A place in a model's answer at which it waits for the test. */
export interface Hold {
  /** Returns whether the answer waits before this event. `deltas` is the number of deltas before it. */
  before(event: ModelEvent, deltas: number): boolean;
  /** Resolves when the answer has reached this place: everything before it was read. */
  readonly reached: Promise<void>;
  /** Lets the answer continue. */
  release(): void;
  reach(): void;
  readonly released: Promise<void>;
}

/** Makes a place in an answer, e.g. before its second delta. */
export function holdBefore(before: Hold["before"]): Hold {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  return { before, reached, release, reach, released };
}

/** Returns whether an answer's text is complete at this event. */
export const isTextOver = ({ type }: ModelEvent): boolean => type === "message_delta";

/** A model whose answers wait at these places, until each is released. */
export function heldModel(model: ModelClient, holds: readonly Hold[]): ModelClient {
  return {
    id: model.id,
    async *stream(request, options) {
      let deltas = 0;
      for await (const event of model.stream(request, options)) {
        for (const hold of holds) {
          if (!hold.before(event, deltas)) continue;
          hold.reach();
          await hold.released;
        }
        if (event.type === "content_block_delta") deltas += 1;
        yield event;
      }
    },
  };
}
