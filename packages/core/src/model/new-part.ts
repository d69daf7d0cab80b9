import type { Json } from "../base/json.ts";
import type { ContentBlock } from "./content.ts";
import type { LivePart } from "./live-part.ts";

/** Where the run's output is in an answer: in its text, or in the calls of a tool. */
export interface OutputPlace {
  /** The name of the tool; `undefined` for the text. */
  tool: string | undefined;
  /** Whether the output is in the field `value` of the JSON. */
  wrapped: boolean;
}

/** Returns the live part of a block that begins; `undefined` for a block without text. */
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

/** Returns whether a part is the run's output. If so, there is a `place`. */
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

function piecesOf(text: Json | undefined): string[] {
  return text === undefined || text === null || text === "" ? [] : [String(text)];
}
