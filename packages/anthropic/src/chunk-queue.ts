/** What a reader of a web stream reads. */
export type Chunk = { done: false; value: Uint8Array } | { done: true; value: undefined };

/** A body between the connection that brings it and whoever reads it. */
export interface ChunkQueue {
  /** `false`: enough is waiting, bring no more until `resume` is called. */
  push(chunk: Uint8Array): boolean;
  end(): void;
  /** What was pushed before is still read. */
  fail(error: unknown): void;
  /**
   * All that waits in one chunk, as the reader of a web stream does; a body that breaks off is a `TypeError`,
   * as with fetch.
   */
  read(): Promise<Chunk>;
}

/**
 * What may wait to be read, in bytes, before the connection is held up: several packets, as a hold costs more
 * than a packet.
 */
const HIGH_WATER_BYTES = 262_144;

export function chunkQueue(resume: () => void): ChunkQueue {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let end: { failure?: unknown } | undefined;
  let wake = (): void => undefined;
  const over = (how: { failure?: unknown }) => {
    end ??= how;
    wake();
  };
  return {
    push(chunk) {
      waiting.push(chunk);
      bytes += chunk.byteLength;
      wake();
      return bytes < HIGH_WATER_BYTES;
    },
    end: () => over({}),
    fail: (failure) => over({ failure }),
    async read() {
      for (;;) {
        const first = waiting[0];
        if (first !== undefined) {
          // A packet brings many small chunks, and each reading costs a turn of the microtask queue.
          const value = waiting.length === 1 ? first : Buffer.concat(waiting);
          const held = bytes >= HIGH_WATER_BYTES;
          waiting = [];
          bytes = 0;
          if (held) resume();
          return { done: false, value };
        }
        if (end !== undefined && "failure" in end) throw new TypeError("terminated", { cause: end.failure });
        if (end !== undefined) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
