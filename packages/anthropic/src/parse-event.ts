import type { ContentDelta, ModelEvent } from "@pawl/core";

/**
 * An event, or `undefined` for the half of one that a lost connection leaves. Nearly all of them are pieces of a text
 * without an escape in it, in the one spelling that the API has for them; to take such a piece out costs a quarter of
 * parsing the event. Whatever is spelt otherwise is parsed.
 */
export function parseEvent(data: string): ModelEvent | undefined {
  const piece = PIECE.exec(data);
  if (piece !== null) return { type: "content_block_delta", index: Number(piece[1]), delta: deltaOf(piece) };
  try {
    return JSON.parse(data) as ModelEvent;
  } catch {
    return undefined;
  }
}

/** The API pads its events with spaces before the last brace. A piece: all from a space up but a quote and a backslash. */
const PIECE =
  /^\{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":\{"type":"(?:text_delta","text":"([ !#-[\]-\uffff]*)|input_json_delta","partial_json":"([ !#-[\]-\uffff]*)|thinking_delta","thinking":"([ !#-[\]-\uffff]*))"\} *\}$/;

function deltaOf([, , text, json, thinking = ""]: RegExpExecArray): ContentDelta {
  if (text !== undefined) return { type: "text_delta", text };
  if (json !== undefined) return { type: "input_json_delta", partial_json: json };
  return { type: "thinking_delta", thinking };
}
