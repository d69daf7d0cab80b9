import { cutOffAnswer, packetReader, unreadable } from "@pawl/core/model";
import { createParser } from "eventsource-parser";
import { APIError } from "openai/core/error";
import { type Chunk, EMPTY, isFields, readChunk } from "./chunk.ts";

/** The time to wait for the end of a response's body, in milliseconds. */
const END_MS = 100;

/**
 * Yields the chunks of a streamed answer, packet by packet, up to `[DONE]`. A comment, which servers send as
 * a sign of life, becomes an empty chunk.
 */
export async function* readChunks(
  response: Response,
  requestId: string | undefined,
): AsyncGenerator<Chunk[], void, undefined> {
  const reader = response.body?.getReader();
  const body = {
    headers: response.headers,
    read: async () => (await reader?.read()) ?? { done: true },
    close: () => void reader?.cancel().catch(() => undefined),
  };
  const next = packetReader<Chunk>(body, { requestId, endMs: END_MS }, (answer) => {
    const parser = createParser({
      onComment: () => {
        if (answer.isOpen()) answer.items.push(EMPTY);
      },
      onEvent: ({ event, data }) => {
        if (data === "" || !answer.begin()) return;
        if (data.trim() === "[DONE]") return answer.complete();
        const read = chunkOf(event, data, response, requestId);
        if (read instanceof Error) answer.fail(read);
        else answer.items.push(read);
      },
    });
    return (text) => parser.feed(text);
  });
  for (let chunks = await next(); chunks !== undefined; chunks = await next())
    if (chunks.length > 0) yield chunks;
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
    return event === "error" ? failureIn({ message: data }, response) : cutOffAnswer(requestId);
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
