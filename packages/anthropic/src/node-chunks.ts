import type { IncomingMessage } from "node:http";

/** What a reader of a web stream reads. */
export type Chunk = { done: false; value: Uint8Array } | { done: true; value: undefined };

/**
 * Reads a body chunk by chunk, as the reader of a web stream does; one that breaks off is a `TypeError`, as with fetch.
 * Node's own iterator does more than this for every answer.
 */
export function chunksOf(message: IncomingMessage): () => Promise<Chunk> {
  let failure: unknown;
  let wake = (): void => undefined;
  const ring = (): void => wake();
  message.on("readable", ring).on("end", ring).on("close", ring);
  // Heard in any case: an error that comes when nobody reads any more, e.g. that of an abort, is nobody's concern.
  message.on("error", (error) => {
    failure = error;
    wake();
  });
  return async () => {
    for (;;) {
      const value: Buffer | null = message.read();
      if (value !== null) return { done: false, value };
      if (message.readableEnded) return { done: true, value: undefined };
      if (message.destroyed) throw new TypeError("terminated", { cause: failure });
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}
