import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { type ContentBlock, isText, isToolUse, textOf } from "../model/content.ts";
import type { OutputTool } from "./output-tool.ts";

/**
 * Returns the JSON values of an answer that may be its output: the input of the tool call, or else those in
 * the text. A model that does not call the tool may write thinking before the JSON, and prose or a code fence
 * around it.
 */
export function outputsIn(
  content: readonly ContentBlock[],
  { spec, isWrapped }: Pick<OutputTool, "spec" | "isWrapped">,
): Json[] {
  const call = content.filter(isToolUse).find(({ name }) => name === spec.name);
  const found = call === undefined ? jsonIn(content.filter(isText)) : [call.input];
  return isWrapped ? found.map(unwrapped) : found;
}

function unwrapped(found: Json): Json {
  return isJsonObject(found) && Object.hasOwn(found, "value") ? (found.value ?? null) : found;
}

function jsonIn(blocks: readonly ContentBlock[]): Json[] {
  const text = textOf(blocks.map((block) => ({ ...block, text: `${block.text}\n` }))).trim();
  const said = text.slice(text.lastIndexOf(THOUGHT) === -1 ? 0 : text.lastIndexOf(THOUGHT) + THOUGHT.length);
  const found = [...fencesIn(said), between(said, "{", "}"), between(said, "[", "]")];
  return [...new Set([text, said.trim(), ...found])].flatMap(parsedJson);
}

/** The end of the thinking that some servers leave in the text. */
const THOUGHT = "</think>";

/** The most code fences that are validated: a slow schema would run for each. */
const MOST_FENCES = 3;

// Not a pattern for the whole fence: its time would grow with the square of the answer's length.
/**
 * Returns the contents of the last code fences, the last one first, because earlier ones are often examples.
 */
function fencesIn(text: string): string[] {
  const parts = text.split("```");
  const fences = parts.filter((_, at) => at % 2 === 1).map((part) => part.replace(/^\w*\s/, "").trim());
  return fences.slice(-MOST_FENCES).reverse();
}

function between(text: string, open: string, close: string): string {
  return text.includes(open) ? text.slice(text.indexOf(open), text.lastIndexOf(close) + 1) : "";
}

function parsedJson(text: string): Json[] {
  try {
    return [toJson(JSON.parse(text))];
  } catch {
    return [];
  }
}
