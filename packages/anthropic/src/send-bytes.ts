import type { Answer } from "./answer.ts";
import type { Aborts } from "./call.ts";
import { type ChunkQueue, chunkQueue } from "./chunk-queue.ts";
import { decompressed } from "./decompressed.ts";
import type { Dispatcher, DispatchHandler } from "./dispatcher.ts";

/** A POST request. */
export interface BytesRequest {
  origin: string;
  path: string;
  /** Names and values in alternation. */
  headers: readonly string[];
  body: Uint8Array;
  /** The longest time until the answer's headers, in milliseconds; 0 for no limit. */
  headersTimeout: number;
}

/** The answer to a request, of any status. */
export interface BytesAnswer extends Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Sends a request over undici's dispatcher, without the web streams of `fetch`. */
export function sendBytes(
  dispatcher: Dispatcher,
  request: BytesRequest,
  aborts: Aborts,
): Promise<BytesAnswer> {
  return new Promise((resolve, reject) => {
    let resume = (): void => undefined;
    let cancel = (_reason: Error): void => undefined;
    let aborted: Error | undefined;
    const chunks = chunkQueue(() => resume());
    const fail = (error: Error): void => {
      reject(error);
      chunks.fail(error);
    };
    // A request cannot be cancelled before it has a connection; `onConnect` cancels it then.
    const forget = aborts.onAbort((reason) => {
      aborted = reason;
      cancel(reason);
      fail(reason);
    });
    if (aborted !== undefined) return;
    // The listener is removed because the SDK keeps the signal until the answer is garbage, and the listener
    // would keep the answer.
    const handler: DispatchHandler = {
      onConnect: (stop) => {
        cancel = stop;
        if (aborted !== undefined) stop(aborted);
      },
      onHeaders: (status, rawHeaders, go) => {
        // A status below 200 is followed by the final one.
        if (status < 200) return true;
        resume = go;
        resolve(answerOf(status, headersOf(rawHeaders), chunks));
        return true;
      },
      onData: chunks.push,
      onComplete: () => {
        forget();
        chunks.end();
      },
      onError: (error) => {
        forget();
        fail(error);
      },
    };
    dispatcher.dispatch({ ...request, method: "POST", bodyTimeout: 0 }, handler);
  });
}

function answerOf(status: number, headers: BytesAnswer["headers"], chunks: ChunkQueue): BytesAnswer {
  const encoding = headers.get("content-encoding");
  const { read, isOver } = chunks;
  if (encoding === undefined) return { status, headers, read, isOver };
  return { status, headers, read: decompressed(read, encoding), isOver: () => false };
}

/** Returns the headers by lower-case name. `Headers` would also validate them, at a higher cost. */
function headersOf(raw: readonly (Buffer | string)[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) all.set(textOf(raw[at]).toLowerCase(), textOf(raw[at + 1]));
  return all;
}

/** Decodes each byte as one character, as `fetch` does. With other characters, `Headers` would throw. */
function textOf(part: Buffer | string = ""): string {
  return typeof part === "string" ? part : part.toString("latin1");
}
