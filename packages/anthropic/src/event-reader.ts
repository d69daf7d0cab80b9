import type { ContentDelta, ModelEvent } from "@pawl/core/model";
import { createParser, type EventSourceParser } from "eventsource-parser";

/** What the text of an answer says, message by message. */
export interface Listener {
  onEvent(event: ModelEvent): void;
  /** A message of the type `error`, as it came. */
  onError(data: string): void;
  /** A message that is no JSON: the half of one that a lost connection leaves. */
  onBroken(): void;
}

/**
 * Reads the text of an answer, in slices of any length; the function it returns takes the next one. Nearly
 * all messages are pieces of a text without an escape in it, in the one spelling that the API has for them,
 * and they are taken out as they are, which is cheaper than to read the lines and parse the JSON. The others
 * have one line of each kind, as a rule. All else is left to the parser.
 */
export function eventReader({ onEvent, onError, onBroken }: Listener): (text: string) => void {
  const take = (type: string | undefined, data: string): void => {
    if (type === undefined || data === "") return;
    const event = type === "error" ? undefined : parsed(data);
    if (type === "error") onError(data);
    else if (event === undefined) onBroken();
    else onEvent(event);
  };
  const parser = createParser({ onEvent: ({ event, data }) => take(event, data) });
  // Whether the parser has got whole messages, and holds nothing of the one that comes.
  let between: boolean | undefined;
  /** Takes what is no piece, and says where it ends. */
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
 * A byte order mark is for the parser. Where there is none, an empty line, which says nothing, tells it that
 * others are text.
 */
function begin(parser: EventSourceParser, text: string): boolean {
  if (text.startsWith("\ufeff")) return false;
  parser.feed("\n");
  return true;
}

/** An empty line, where the API has its messages end; where line ends are others, nothing is taken out. */
const END = "\n\n";

/**
 * The API pads its events with spaces before the last brace. A piece: all from a space up but a quote and a
 * backslash.
 */
const PIECE =
  /event: content_block_delta\ndata: \{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":\{"type":"(?:text_delta","text":"([ !#-[\]-\uffff]*)|input_json_delta","partial_json":"([ !#-[\]-\uffff]*)|thinking_delta","thinking":"([ !#-[\]-\uffff]*))"\} *\}\n\n/y;

const MESSAGE = /event: ([^\r\n]+)\ndata: ([^\r\n]*)\n\n/y;

/** What says nothing but its type, and maybe of which block. */
const SIGN = /^\{"type":"([a-z_]+)"(?:,"index":(0|[1-9]\d{0,8}))? *\}$/;

function deltaOf([, , text, json, thinking = ""]: RegExpExecArray): ContentDelta {
  if (text !== undefined) return { type: "text_delta", text };
  if (json !== undefined) return { type: "input_json_delta", partial_json: json };
  return { type: "thinking_delta", thinking };
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
