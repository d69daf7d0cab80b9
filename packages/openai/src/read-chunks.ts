import { cutOffAnswer, packetReader, unreadable } from "@pawl/core/model";
import { createParser } from "eventsource-parser";
import { APIError } from "openai/core/error";
import { type Chunk, EMPTY, isFields, readChunk } from "./chunk.ts";
import { errorIn } from "./error-body.ts";

/** The time to wait for the end of a response's body, in milliseconds. */
const END_MS = 100;

/** The longest answer that is read if a server does not stream it, in characters. */
const LONGEST_JSON = 8_000_000;

/**
 * Yields the chunks of a streamed answer, packet by packet, up to `[DONE]`, or up to the end of the body if
 * the answer has given its finish reason. A comment, which servers send as a sign of life, becomes an empty
 * chunk. An answer that a server sends whole, as JSON, becomes one chunk.
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
    const take = (data: string, event?: string): Error | undefined => {
      const read = chunkOf(event, data, response, requestId);
      if (read instanceof Error) return read;
      answer.items.push(read);
      // Nothing but the usage follows the reason why the answer has ended.
      if (read.choices.some(({ index, finishReason }) => index === 0 && finishReason !== undefined))
        answer.mayEnd(() => undefined);
      return undefined;
    };
    const parser = createParser({
      onComment: () => {
        if (answer.isOpen()) answer.items.push(EMPTY);
      },
      onEvent: ({ event, data }) => {
        if (data === "" || !answer.begin()) return;
        if (data.trim() === "[DONE]") return answer.complete();
        const failure = take(data, event);
        if (failure !== undefined) answer.fail(failure);
      },
    });
    let begun: "json" | "events" | undefined;
    let json = "";
    return (text) => {
      begun ??= kindOf(text);
      if (begun !== "json") return parser.feed(text);
      answer.begin();
      answer.mayEnd(() => take(json));
      json += text;
      if (json.length > LONGEST_JSON) answer.fail(cutOffAnswer(requestId));
    };
  });
  for (let chunks = await next(); chunks !== undefined; chunks = await next())
    if (chunks.length > 0) yield chunks;
}

/** Returns whether a body is JSON or an event stream, by its first characters. */
function kindOf(text: string): "json" | "events" | undefined {
  const [first] = text.trimStart();
  if (first === undefined) return undefined;
  return first === "{" || first === "[" ? "json" : "events";
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
  const error = errorIn(parsed);
  if (error !== undefined) return failureIn(error, response);
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
