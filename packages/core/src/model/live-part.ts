import { isJsonObject, type Json, toJson } from "../base/json.ts";
import type { ContentBlock } from "./content.ts";

/** A block of an answer that is being written. */
export interface LivePart {
  /** The block's index in the answer. */
  index: number;
  /** What the block contains. */
  kind: "text" | "thinking" | "tool_input";
  /**
   * The block's text so far, in the pieces in which it arrived. Pieces are only added, so that readers need
   * not copy the earlier ones again.
   */
  pieces: string[];
  /**
   * Set if the block is the run's output, as JSON text. `wrapped`: the output is in the field `value` of that
   * JSON.
   */
  output?: { wrapped: boolean };
  /** The tool call whose input the block contains. Only for `tool_input`. */
  tool?: { call_id: string; tool_name: string };
}

/** Where the run's output is in an answer: in its text, or in the calls of a tool. */
export interface OutputPlace {
  /** The name of the tool; `undefined` if the output is the answer's text. */
  tool: string | undefined;
  /** Whether the output is in the field `value` of that JSON. */
  wrapped: boolean;
}

/** Creates the live part of a block; `undefined` for a block without text, thinking or input. */
export function newPart(
  index: number,
  block: ContentBlock,
  output: OutputPlace | undefined,
): LivePart | undefined {
  const part = partOf(index, block);
  return part !== undefined && isOutput(part, output)
    ? { ...part, output: { wrapped: output.wrapped } }
    : part;
}

/** Returns whether a part is the run's output. It can be only if the run has an output, with a `place`. */
function isOutput({ kind, tool }: LivePart, place: OutputPlace | undefined): place is OutputPlace {
  if (place === undefined) return false;
  return place.tool === undefined ? kind === "text" : tool?.tool_name === place.tool;
}

function partOf(index: number, block: ContentBlock): LivePart | undefined {
  switch (block.type) {
    case "text":
      return { index, kind: "text", pieces: piecesOf(block.text) };
    case "thinking":
      return { index, kind: "thinking", pieces: piecesOf(block.thinking) };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return {
        index,
        kind: "tool_input",
        pieces: [],
        tool: { call_id: String(block.id), tool_name: String(block.name) },
      };
    default:
      return undefined;
  }
}

/** Returns the pieces of a text that came with the start of its block: one, or none if it is empty. */
function piecesOf(text: Json | undefined): string[] {
  return text === undefined || text === null || text === "" ? [] : [String(text)];
}

/** A block of an answer, complete or as far as it was received. */
export interface PartialBlock {
  block: ContentBlock;
  /** The text of the block; `undefined` if it has none. */
  part: LivePart | undefined;
  /** Whether `content_block_stop` was received. */
  complete: boolean;
  /** Why a tool call's input could not be read. */
  invalid?: string;
}

/**
 * Marks a block as complete and joins the pieces of its text. Parses the input of a call; if it is not a JSON
 * object, sets `invalid`, and the input becomes `{}`.
 */
export function finishBlock(target: PartialBlock): void {
  const { block, part } = target;
  target.complete = true;
  if (part === undefined) return;
  if (part.kind !== "tool_input") {
    block[part.kind] = textSoFar(part);
    return;
  }
  const text = part.pieces.join("");
  // Without pieces, the input is the one that came with the start of the block.
  const input = text === "" ? block.input : parsedInput(text);
  block.input = isJsonObject(input) ? input : {};
  if (!isJsonObject(input)) target.invalid = `The arguments are not a JSON object: ${text.slice(0, 200)}`;
}

/** Returns the text of a part so far. Half a surrogate pair becomes U+FFFD. */
export function textSoFar({ pieces }: LivePart): string {
  return pieces.join("").toWellFormed();
}

/** Parses JSON text; returns `undefined` if it is invalid or too deeply nested to be stored. */
function parsedInput(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}
