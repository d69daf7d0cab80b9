import { APIError } from "@anthropic-ai/sdk/core/error";
import type { ModelEvent } from "@pawl/core/model";
import type { Call } from "./call.ts";
import { eventReader } from "./event-reader.ts";
import { cutOff } from "./model-failure.ts";

/** Reads what the next packet brings of a streamed answer; `undefined` behind its end. */
export type AnswerReader = () => Promise<ModelEvent[] | undefined>;

/**
 * The events of a streamed answer, as many at a time as one packet brings, up to `message_stop`. The SDK's
 * own iterator drops pings, which are the only sign of life of a model that thinks, ends in silence when the
 * stream is cut, and costs more than everything else. So the body is read here.
 */
export function answerReader(response: Response, call: Call, requestId: string | undefined): AnswerReader {
  let events: ModelEvent[] = [];
  let failure: Error | undefined;
  let stopped = false;
  const feed = eventReader({
    onEvent: (event) => {
      if (stopped || failure !== undefined) return;
      if (event.type === "message_start" && requestId !== undefined) event.request_id = requestId;
      add(events, event);
      stopped = event.type === "message_stop";
    },
    onError: (data) => {
      if (!stopped) failure ??= streamError(data, response);
    },
    onBroken: () => {
      if (!stopped) failure ??= cutOff(requestId);
    },
  });
  const decoder = new TextDecoder();
  const body = response.body?.getReader();
  return async () => {
    events = [];
    if (failure !== undefined) throw failure;
    if (stopped) return undefined;
    const { done, value } = (await body?.read()) ?? { done: true };
    // The last message may lack the empty line that completes it.
    feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
    if (stopped && body !== undefined) await endOf(body, call);
    if (done && !stopped) failure ??= cutOff(requestId);
    return events;
  };
}

/**
 * Adds an event to those of its packet. Pieces of one tool's input go on as one: there are thousands, and
 * nobody acts on half of a JSON text. Pieces of text stay what they are.
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

/**
 * Reads the end of the body, so that the connection can be used again; it follows at once, or it is not
 * waited for.
 */
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
