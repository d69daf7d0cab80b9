import { unreadable, wrongContentType } from "@pawl/core/model";
import { createParser } from "eventsource-parser";
import { APIError } from "openai/core/error";
import { type Chunk, EMPTY, isFields, readChunk } from "./chunk.ts";
import { cutOff } from "./model-failure.ts";

/**
 * Yields the chunks of a streamed answer, packet by packet, up to `[DONE]`. A comment, which servers send as
 * a sign of life, becomes an empty chunk.
 */
// The body is read here because the SDK's own iterator ends without an error if the stream is cut.
export async function* readChunks(
  response: Response,
  requestId: string | undefined,
): AsyncGenerator<Chunk[], void, undefined> {
  let chunks: Chunk[] = [];
  let failure: Error | undefined;
  let isDone = false;
  let hasBegun = false;
  const parser = createParser({
    onComment: () => {
      if (!isDone && failure === undefined) chunks.push(EMPTY);
    },
    onEvent: ({ event, data }) => {
      if (data === "" || isDone || failure !== undefined) return;
      hasBegun = true;
      if (data.trim() === "[DONE]") isDone = true;
      else {
        const read = chunkOf(event, data, response, requestId);
        if (read instanceof Error) failure = read;
        else chunks.push(read);
      }
    },
  });
  const decoder = new TextDecoder();
  const body = response.body?.getReader();
  while (failure === undefined) {
    const { done, value } = (await body?.read()) ?? { done: true };
    // The last event may lack the empty line that completes it.
    parser.feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
    const batch = chunks;
    chunks = [];
    if (isDone && body !== undefined) await endOf(body);
    if (batch.length > 0) yield batch;
    if (isDone) return;
    if (done) failure ??= (hasBegun ? undefined : wrongContentType(response.headers)) ?? cutOff(requestId);
  }
  throw failure;
}

/** Reads the end of the body, so that the connection can be reused. Gives up after 100 ms. */
async function endOf(body: ReadableStreamDefaultReader): Promise<void> {
  const timer = setTimeout(() => void body.cancel().catch(() => undefined), 100);
  try {
    while (!(await body.read()).done);
  } catch {
    // The answer is complete. Only the connection is lost.
  } finally {
    clearTimeout(timer);
  }
}

function chunkOf(
  event: string | undefined,
  data: string,
  response: Response,
  requestId: string | undefined,
): Chunk | Error {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    // A proxy may send its error as plain text. Any other text that is not JSON is half a chunk, after a lost
    // connection.
    return event === "error" ? failureIn({ message: data }, response) : cutOff(requestId);
  }
  const { error } = Object(parsed) as { error?: unknown };
  if (error) return failureIn(typeof error === "object" ? error : { message: String(error) }, response);
  if (event === "error") return failureIn(isFields(parsed) ? parsed : { message: data }, response);
  try {
    return readChunk(parsed);
  } catch (malformed) {
    return unreadable(malformed);
  }
}

function failureIn(error: object, { headers }: Response): Error {
  return new APIError(undefined, error, undefined, headers);
}
