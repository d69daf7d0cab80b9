import type { ContentDelta, ModelEvent } from "@pawl/core/model";
import { createParser, type EventSourceParser } from "eventsource-parser";

/** Receives the messages of a streamed answer. */
export interface Listener {
  /** Receives an event as the server sent it. Nothing but a delta in the API's spelling has been checked. */
  onEvent(event: ModelEvent): void;
  /** Receives the raw data of a message of type `error`. */
  onError(data: string): void;
  /** Called for a message that is not JSON, e.g. half a message before a lost connection. */
  onBroken(): void;
}

/**
 * Makes a parser for the text of a streamed answer. Call the returned function with each next piece of text,
 * of any length.
 */
// Nearly all messages are deltas, in the API's one spelling. A regular expression reads them in a tenth of
// the time that parsing lines and JSON takes. Text with escapes, e.g. most tool input, takes less than half.
// Most other messages have one `event` and one `data` line, and a second expression reads those. The parser
// reads the rest.
export function eventReader({ onEvent, onError, onBroken }: Listener): (text: string) => void {
  const take = (type: string | undefined, data: string): void => {
    // Some gateways end an answer as Chat Completions does.
    if (data === "" || data.trim() === "[DONE]") return;
    const event = type === "error" ? undefined : parsed(data);
    // Some gateways name the type in the JSON only, or send an error without one.
    const { type: named, error } = Object(event);
    if (type === undefined && typeof named !== "string" && !error) return;
    const isError = named === "error" || (type === undefined && typeof named !== "string");
    if (type === "error" || isError) onError(data);
    else if (event === undefined) onBroken();
    else onEvent(event);
  };
  const parser = createParser({ onEvent: ({ event, data }) => take(event, data) });
  // Whether the parser has received only whole messages; `undefined` before the first piece of text.
  let between: boolean | undefined;
  /** Takes a message that is not a delta, and returns the offset at which it ends. */
  const takeOther = (text: string, at: number): number => {
    MESSAGE.lastIndex = at;
    const message = between ? MESSAGE.exec(text) : null;
    if (message !== null) {
      take(message[1], message[2] as string);
      return at + message[0].length;
    }
    const end = text.indexOf(END, at);
    between = end !== -1;
    const next = between ? end + END.length : text.length;
    parser.feed(text.slice(at, next));
    return next;
  };
  return (text) => {
    if (text === "") return;
    between ??= begin(parser, text);
    for (let at = 0; at < text.length; ) {
      PIECE.lastIndex = at;
      const piece = between ? PIECE.exec(text) : null;
      if (piece === null) at = takeOther(text, at);
      else {
        at = PIECE.lastIndex;
        onEvent({ type: "content_block_delta", index: Number(piece[1]), delta: deltaOf(piece) });
      }
    }
  };
}

/**
 * Prepares the parser for the first text. A byte order mark is left to the parser. Without one, the parser
 * first gets an empty line, which has no meaning but ends its search for the mark.
 */
function begin(parser: EventSourceParser, text: string): boolean {
  if (text.startsWith("\ufeff")) return false;
  parser.feed("\n");
  return true;
}

/** The end of a message of the API. If a server sends other line ends, the parser reads everything. */
const END = "\n\n";

/** The inside of a JSON string with few escapes. Without a limit, long texts would overflow the stack. */
const TEXT = String.raw`[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*){0,100}`;

/**
 * Matches a delta in the API's one spelling. The API pads its events with spaces before the last brace.
 */
const PIECE = new RegExp(
  String.raw`event: content_block_delta\ndata: \{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":` +
    String.raw`\{"type":"(?:text_delta","text":"(${TEXT})|input_json_delta","partial_json":"(${TEXT})|thinking_delta","thinking":"(${TEXT}))"\} *\}\n\n`,
  "y",
);

const MESSAGE = /event: ([^\r\n]+)\ndata: ([^\r\n]*)\n\n/y;

/** Matches an event that has only a type, and possibly the index of a block. */
const SIGN = /^\{"type":"([a-z_]+)"(?:,"index":(0|[1-9]\d{0,8}))? *\}$/;

function deltaOf([, , text, json, thinking = ""]: RegExpExecArray): ContentDelta {
  if (text !== undefined) return { type: "text_delta", text: unescaped(text) };
  if (json !== undefined) return { type: "input_json_delta", partial_json: unescaped(json) };
  return { type: "thinking_delta", thinking: unescaped(thinking) };
}

/** Returns the text of a JSON string. */
function unescaped(text: string): string {
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}

function parsed(data: string): ModelEvent | undefined {
  const sign = SIGN.exec(data);
  if (sign !== null) {
    const [, type, index] = sign;
    return (index === undefined ? { type } : { type, index: Number(index) }) as ModelEvent;
  }
  try {
    return JSON.parse(data) as ModelEvent;
  } catch {
    return undefined;
  }
}
