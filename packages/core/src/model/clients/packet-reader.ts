import { wrongContentType } from "../malformed.ts";
import { cutOffAnswer } from "./sdk-failure.ts";

/** The body of a streamed answer, for {@link packetReader}. */
export interface AnswerBody {
  readonly headers: { get(name: string): string | null | undefined };
  /** Reads the next packet, like the reader of a web stream. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Returns whether the body is known to be read to its end, without waiting. Default: not known. */
  isOver?(): boolean;
  /** Called once the body of a complete answer was read to its end. */
  onEnd?(): void;
  /** Closes the connection. Called if the end of a complete answer's body does not arrive in time. */
  close(): void;
}

/** What a parser reports about the answer that it reads, for {@link packetReader}. */
export interface AnswerProgress<T> {
  /** The items of the current packet. The parser adds to them. */
  readonly items: T[];
  /** Returns `false` once the answer is complete or has failed. The parser then ignores further text. */
  isOpen(): boolean;
  /** Reports that a message of the stream has arrived. Returns whether to read it, as `isOpen()` does. */
  begin(): boolean;
  /** Reports that the answer is complete. */
  complete(): void;
  /**
   * Reports that the answer is whole even if nothing else comes, e.g. after the reason why it has ended. If
   * the body then ends or breaks off, the answer is complete. `last` is called first: it may add items, or
   * return why the answer has failed after all.
   */
  mayEnd(last: () => Error | undefined): void;
  /** Ends the answer with an error, unless it is complete or has failed already. */
  fail(error: Error): void;
}

/** Options for {@link packetReader}. */
export interface PacketReaderOptions {
  /** The request's id, for errors. */
  requestId?: string | undefined;
  /**
   * How long to wait for the end of the body after a complete answer, in milliseconds. The connection can be
   * reused only after the end. A busy process receives the end late. Default: 500.
   */
  endMs?: number;
}

/**
 * Makes a function that reads the next packet of a streamed answer. Each call feeds the packet's text to a
 * parser and returns the parser's items. After a complete answer, it returns `undefined`. If the answer has
 * failed, the next call throws an error:
 *
 * - the error that the parser reported by `fail`
 * - {@link wrongContentType} if the body ended without any message, and is not an event stream
 * - {@link cutOffAnswer} if the body ended before the answer was complete, and before the parser called
 *   `mayEnd`
 *
 * @param parser makes the parser of an answer: a function that is called with each piece of text
 *
 * @example
 * ```ts
 * import { packetReader } from "@pawl/core/model";
 *
 * const response = new Response("one.two.END");
 * const reader = response.body!.getReader();
 * const body = { headers: response.headers, read: () => reader.read(), close: () => void reader.cancel() };
 * const next = packetReader<string>(body, {}, (answer) => (text) => {
 *   for (const word of text.trim().split(".")) {
 *     if (!answer.begin()) return;
 *     if (word === "END") answer.complete();
 *     else answer.items.push(word);
 *   }
 * });
 * console.log(await next(), await next()); // [ 'one', 'two' ] undefined
 * ```
 */
// The iterators of the SDKs are not used: if a stream is cut, they end without an error.
export function packetReader<T>(
  body: AnswerBody,
  { requestId, endMs = 500 }: PacketReaderOptions,
  parser: (answer: AnswerProgress<T>) => (text: string) => void,
): () => Promise<T[] | undefined> {
  let failure: Error | undefined;
  let hasBegun = false;
  let isComplete = false;
  let items: T[] = [];
  let atEnd: (() => Error | undefined) | undefined;
  const answer: AnswerProgress<T> = {
    get items() {
      return items;
    },
    isOpen: () => !isComplete && failure === undefined,
    begin() {
      hasBegun = true;
      return answer.isOpen();
    },
    complete() {
      isComplete = true;
    },
    mayEnd(last) {
      atEnd = last;
    },
    fail(error) {
      if (!isComplete) failure ??= error;
    },
  };
  const feed = parser(answer);
  const decoder = new TextDecoder();
  return async () => {
    if (failure !== undefined) throw failure;
    if (isComplete) return undefined;
    items = [];
    let [done, value]: [boolean, Uint8Array | undefined] = [true, undefined];
    // No `catch()`: it would cost a job for each packet.
    try {
      ({ done, value } = await body.read());
    } catch (error) {
      if (atEnd === undefined) throw error;
    }
    // The last message may lack the empty line that completes it.
    feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
    if (isComplete) await readRest(body, endMs);
    else if (done) endOfBody();
    return items;
  };

  function endOfBody(): void {
    const noEnd = () => (hasBegun ? undefined : wrongContentType(body.headers)) ?? cutOffAnswer(requestId);
    const error = atEnd === undefined ? noEnd() : failure === undefined ? atEnd() : undefined;
    if (error === undefined) answer.complete();
    else answer.fail(error);
  }
}

/** Reads the end of a body, so that the connection can be reused. Gives up after `endMs`. */
async function readRest(body: AnswerBody, endMs: number): Promise<void> {
  // Usually, the end has arrived with the last packet.
  if (body.isOver?.()) return body.onEnd?.();
  const timer = setTimeout(() => body.close(), endMs);
  try {
    while (!(await body.read()).done);
    body.onEnd?.();
  } catch {
    // The answer is complete. Only the connection is lost.
  } finally {
    clearTimeout(timer);
  }
}
