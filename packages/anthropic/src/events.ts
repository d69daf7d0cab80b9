import { APIError } from "@anthropic-ai/sdk/core/error";
import type { ModelEvent } from "@pawl/core";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Call } from "./call.ts";
import { cutOff } from "./model-failure.ts";
import { parseEvent } from "./parse-event.ts";

/**
 * The events of a streamed answer, as many at a time as one packet brought, up to `message_stop`. The SDK's own iterator
 * drops pings, which are the only sign of life of a model that thinks, ends in silence when the stream is cut, and costs
 * more than everything else. So the body is read here.
 */
export async function* eventsOf(
  response: Response,
  call: Call,
  requestId: string | undefined,
): AsyncGenerator<ModelEvent[], void, undefined> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  const body = response.body?.getReader();
  for (;;) {
    const { done, value } = (await body?.read()) ?? { done: true };
    // The last event may lack the empty line that completes it.
    parser.feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
    const { events, failure } = readMessages(messages.splice(0), response, requestId);
    const stopped = events.at(-1)?.type === "message_stop";
    if (stopped && body !== undefined) await endOf(body, call);
    if (events.length > 0) yield events;
    if (stopped) return;
    if (failure !== undefined) throw failure;
    if (done) throw cutOff(requestId);
  }
}

/** What the messages of a packet say, up to the end of the answer or its failure. */
function readMessages(
  messages: readonly EventSourceMessage[],
  response: Response,
  requestId: string | undefined,
): { events: ModelEvent[]; failure?: Error } {
  const events: ModelEvent[] = [];
  for (const { event, data } of messages) {
    if (event === undefined || data === "") continue;
    if (event === "error") return { events, failure: streamError(data, response) };
    const parsed = parseEvent(data);
    if (parsed === undefined) return { events, failure: cutOff(requestId) };
    if (parsed.type === "message_start" && requestId !== undefined) parsed.request_id = requestId;
    add(events, parsed);
    if (parsed.type === "message_stop") break;
  }
  return { events };
}

/**
 * Adds an event to those of its packet. Pieces of one tool's input go on as one: there are thousands, and nobody acts on half
 * of a JSON text. Pieces of text stay what they are.
 */
function add(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1);
  if (isInput(event) && last !== undefined && isInput(last) && last.index === event.index) {
    last.delta.partial_json += event.delta.partial_json;
  } else events.push(event);
}

type InputPiece = Extract<ModelEvent, { type: "content_block_delta" }> & { delta: { partial_json: string } };

function isInput(event: ModelEvent): event is InputPiece {
  return (
    event.type === "content_block_delta" &&
    event.delta.type === "input_json_delta" &&
    typeof event.delta.partial_json === "string"
  );
}

/** The end of a body is waited for so long, in milliseconds: a process that is busy sees it late. */
const END_MS = 500;

/** Reads the end of the body, so that the connection can be used again; it follows at once, or it is not waited for. */
async function endOf(body: Pick<ReadableStreamDefaultReader, "read">, call: Call): Promise<void> {
  const timer = setTimeout(call.close, END_MS);
  try {
    while (!(await body.read()).done);
    call.done();
  } catch {
    // The answer is whole; only the connection is lost.
  } finally {
    clearTimeout(timer);
  }
}

function streamError(data: string, response: Response): Error {
  let body: object;
  try {
    body = JSON.parse(data);
  } catch {
    // A proxy may speak plain text; the failure stands all the same.
    body = { error: { message: data } };
  }
  return new APIError(undefined, body, undefined, response.headers);
}
