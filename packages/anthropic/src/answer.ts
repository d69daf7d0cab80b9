import type { Chunk } from "./chunk-queue.ts";

/** A successful answer of the API, whose body is read packet by packet. */
export interface Answer {
  readonly headers: { get(name: string): string | null | undefined };
  /**
   * Reads what has arrived, or waits for it.
   *
   * @throws TypeError if the body broke off, as with fetch.
   */
  read(): Promise<Chunk>;
  /** Whether the whole body was read, as far as is known without waiting. */
  isOver(): boolean;
}

/** Returns the answer that a `Response` of the SDK holds. */
export function answerIn({ headers, body }: Response): Answer {
  const reader = body?.getReader();
  return {
    headers,
    read: async () => ((await reader?.read()) ?? { done: true, value: undefined }) as Chunk,
    isOver: () => false,
  };
}
