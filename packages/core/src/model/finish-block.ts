import { isJsonObject, type Json, toJson } from "../base/json.ts";
import type { ContentBlock } from "./content.ts";
import type { LivePart } from "./live-part.ts";

/** A block of an answer, complete or as far as it was received. */
export interface PartialBlock {
  block: ContentBlock;
  part: LivePart | undefined;
  complete: boolean;
  /** Why a tool call's input could not be read. */
  invalid?: string;
}

/** Puts the pieces of a complete block together. */
export function finishBlock(target: PartialBlock): void {
  const { block, part } = target;
  target.complete = true;
  if (part === undefined) return;
  if (part.kind !== "tool_input") {
    block[part.kind] = textSoFar(part);
    return;
  }
  const text = part.pieces.join("");
  const input = text === "" ? block.input : parsed(text);
  block.input = isJsonObject(input) ? input : {};
  if (!isJsonObject(input)) target.invalid = `The arguments are not a JSON object: ${text.slice(0, 200)}`;
}

/** Returns the text of a part so far. */
export function textSoFar({ pieces }: LivePart): string {
  return pieces.join("").toWellFormed();
}

/** Parses JSON text; returns `undefined` if it is invalid or too deeply nested to be stored. */
function parsed(text: string): Json | undefined {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}
