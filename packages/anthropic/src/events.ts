import { APIError } from "@anthropic-ai/sdk/core/error";
import {
  cutOffAnswer,
  eventCheck,
  type ModelEvent,
  packetReader,
  type RawUsage,
  unreadable,
} from "@pawl/core/model";
import type { Answer } from "./answer.ts";
import type { Call } from "./call.ts";
import { dialectReader } from "./dialect.ts";
import { eventReader } from "./event-reader.ts";
import { eventsOfMessage, isErrorBody } from "./whole-message.ts";

/** Returns the events of the next packet of a streamed answer; `undefined` after its end. */
export type AnswerReader = () => Promise<ModelEvent[] | undefined>;

/** What the reader of an answer has to know about it. */
export interface AnswerReading {
  /** Id of the model. */
  model: string;
  requestId?: string | undefined;
  /** Adds to a usage what the server charges besides tokens. */
  charge(usage: object): RawUsage;
}

/** The longest answer that is read if a server does not stream it, in characters. */
const LONGEST_JSON = 8_000_000;

/**
 * Makes a reader of a streamed answer, which reads packet by packet up to `message_stop`, or up to the end of
 * the body if the answer has given its stop reason. An answer that a server sends whole, as JSON, becomes the
 * events of its stream.
 */
// The SDK's own iterator also drops pings, the only sign of life of a model that thinks, and it costs more
// than all other steps.
export function answerReader(
  answer: Answer,
  call: Call,
  { model, requestId, charge }: AnswerReading,
): AnswerReader {
  const check = eventCheck();
  const inOwnWords = dialectReader(charge);
  const take = (events: ModelEvent[], event: ModelEvent): void => {
    check(event);
    // An answer has thousands of deltas, and they are as every server sends them.
    if (event.type === "content_block_delta") {
      add(events, event);
      return;
    }
    const added = inOwnWords(event);
    shorten(event);
    if (event.type === "message_start" && requestId !== undefined) event.request_id = requestId;
    // Not an event of the API: only wrappers of a model announce attempts.
    if (event.type !== "attempt_failed") add(events, event);
    if (added !== undefined) events.push(added);
  };
  const body = {
    headers: answer.headers,
    read: () => answer.read(),
    isOver: () => answer.isOver(),
    onEnd: () => call.done(),
    close: () => call.close(),
  };
  return packetReader<ModelEvent>(body, { requestId }, (progress) => {
    const stop = (): undefined => void progress.items.push({ type: "message_stop" });
    const takeEvent = (event: ModelEvent): void => {
      try {
        take(progress.items, event);
        if (event.type === "message_stop") progress.complete();
        // Nothing but `message_stop` follows the reason why the answer has ended.
        if (event.type === "message_delta" && event.delta.stop_reason !== null) progress.mayEnd(stop);
      } catch (error) {
        progress.fail(unreadable(error));
      }
    };
    const parse = eventReader({
      onEvent: (event) => {
        if (progress.begin()) takeEvent(event);
      },
      onError: (data) => {
        if (progress.begin()) progress.fail(streamError(data, answer));
      },
      onBroken: () => {
        if (progress.begin()) progress.fail(cutOffAnswer(requestId));
      },
    });
    let json: string | undefined;
    let begun = false;
    const readWhole = (): Error | undefined => {
      const message = parsed(json ?? "");
      if (message === undefined) return cutOffAnswer(requestId);
      if (isErrorBody(message)) return streamError(json ?? "", answer);
      try {
        for (const event of eventsOfMessage(message, model)) take(progress.items, event);
        return undefined;
      } catch (error) {
        return unreadable(error);
      }
    };
    return (text) => {
      if (!begun && text.trim() !== "") {
        begun = true;
        if (text.trimStart().startsWith("{")) json = "";
      }
      if (json === undefined) return parse(text);
      progress.begin();
      progress.mayEnd(readWhole);
      json += text;
      if (json.length > LONGEST_JSON) progress.fail(cutOffAnswer(requestId));
    };
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The length at which an answer's id and similar texts are cut, in characters. */
const LONGEST_NAME = 1_000;

/** The length up to which counts of tokens are kept with fields that Pawl does not know, as JSON. */
const LONGEST_USAGE = 4_000;

/** The fields of an answer that are stored as they are, besides its blocks. */
interface SmallFields {
  id?: unknown;
  model?: unknown;
  stop_reason?: unknown;
  stop_sequence?: unknown;
  usage?: unknown;
}

/** Shortens the small fields of an answer. A server may send them in any length. */
function shorten(event: ModelEvent): void {
  if (event.type !== "message_start" && event.type !== "message_delta") return;
  const parts: SmallFields[] = event.type === "message_start" ? [event.message] : [event.delta, event];
  for (const part of parts) {
    for (const field of ["id", "model", "stop_reason", "stop_sequence"] as const)
      if (typeof part[field] === "string") part[field] = part[field].slice(0, LONGEST_NAME);
    if (part.usage !== undefined && JSON.stringify(part.usage).length > LONGEST_USAGE)
      part.usage = countsOf(part.usage);
  }
}

/** Returns the counts of tokens that have a price. */
function countsOf(usage: unknown): RawUsage {
  const counts = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "price_factor",
    "other_usd",
  ];
  const known = Object.entries(Object(usage)).filter(
    ([field, value]) => counts.includes(field) && typeof value === "number",
  );
  return Object.fromEntries(known);
}

/**
 * Adds an event to the events of its packet. Consecutive deltas of one tool's input are joined: there are
 * thousands, and half a JSON text is of no use. Deltas of text stay separate.
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

function streamError(data: string, { headers }: Answer): Error {
  let body: object;
  try {
    body = JSON.parse(data);
  } catch {
    // A proxy may send its error as plain text.
    body = { error: { message: data } };
  }
  return new APIError(undefined, body, undefined, headers as Headers);
}
