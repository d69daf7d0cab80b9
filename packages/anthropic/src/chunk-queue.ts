/** A result of `read`, in the shape of a web stream's reader. */
export type Chunk = { done: false; value: Uint8Array } | { done: true; value: undefined };

/** A queue between a connection and the reader of its body. */
export interface ChunkQueue {
  /** Adds a chunk. Returns `false` if the queue is full; then push no more until `resume` is called. */
  push(chunk: Uint8Array): boolean;
  end(): void;
  /** Makes `read` throw once all earlier chunks were read. */
  fail(error: unknown): void;
  /**
   * Reads everything that is queued, as one chunk.
   *
   * @throws TypeError if the body broke off, as with fetch.
   */
  read(): Promise<Chunk>;
  /** Whether the end has come and everything before it was read. */
  isOver(): boolean;
}

/**
 * The number of queued bytes at which the connection is paused. It is several packets, because a pause costs
 * more than a packet.
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
    isOver: () => end !== undefined && !("failure" in end) && waiting.length === 0,
    async read() {
      for (;;) {
        const first = waiting[0];
        if (first !== undefined) {
          // A packet has many small chunks, and each read costs a turn of the microtask queue.
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
