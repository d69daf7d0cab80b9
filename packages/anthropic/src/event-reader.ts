import type { ContentDelta, ModelEvent } from "@pawl/core";
import { createParser } from "eventsource-parser";

/** What the text of an answer says, message by message. */
export interface Listener {
  onEvent(event: ModelEvent): void;
  /** A message of the type `error`, as it came. */
  onError(data: string): void;
  /** A message that is no JSON: the half of one that a lost connection leaves. */
  onBroken(): void;
}

/**
 * Reads the text of an answer, in slices of any length; the function it returns takes the next one. Nearly all messages are
 * pieces of a text without an escape in it, in the one spelling that the API has for them, and they are taken out as they are,
 * which is cheaper than to read the lines and parse the JSON. All else is left to the parsers.
 */
export function eventReader({ onEvent, onError, onBroken }: Listener): (text: string) => void {
  const parser = createParser({
    onEvent: ({ event: type, data }) => {
      if (type === undefined || data === "") return;
      if (type === "error") return onError(data);
      const event = parsed(data);
      if (event === undefined) onBroken();
      else onEvent(event);
    },
  });
  // Whether the parser has got whole messages, and holds nothing of the one that comes. It sees how the text begins.
  let between = false;
  return (text) => {
    for (let at = 0; at < text.length; ) {
      PIECE.lastIndex = at;
      const piece = between ? PIECE.exec(text) : null;
      if (piece !== null) {
        at = PIECE.lastIndex;
        onEvent({ type: "content_block_delta", index: Number(piece[1]), delta: deltaOf(piece) });
      } else {
        const end = text.indexOf(END, at);
        between = end !== -1;
        const next = between ? end + END.length : text.length;
        parser.feed(text.slice(at, next));
        at = next;
      }
    }
  };
}

/** An empty line, where the API has its messages end; where line ends are others, nothing is taken out. */
const END = "\n\n";

/** The API pads its events with spaces before the last brace. A piece: all from a space up but a quote and a backslash. */
const PIECE =
  /event: content_block_delta\ndata: \{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":\{"type":"(?:text_delta","text":"([ !#-[\]-\uffff]*)|input_json_delta","partial_json":"([ !#-[\]-\uffff]*)|thinking_delta","thinking":"([ !#-[\]-\uffff]*))"\} *\}\n\n/y;

function deltaOf([, , text, json, thinking = ""]: RegExpExecArray): ContentDelta {
  if (text !== undefined) return { type: "text_delta", text };
  if (json !== undefined) return { type: "input_json_delta", partial_json: json };
  return { type: "thinking_delta", thinking };
}

function parsed(data: string): ModelEvent | undefined {
  try {
    return JSON.parse(data) as ModelEvent;
  } catch {
    return undefined;
  }
}
