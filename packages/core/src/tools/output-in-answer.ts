import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { type ContentBlock, isText, isToolUse, textOf } from "../model/content.ts";
import type { OutputTool } from "./output-tool.ts";

/**
 * Returns the JSON values of an answer that may be its output: the input of the call of the output tool, or
 * else the JSON values in the text. A model that does not call the tool may write thinking before the JSON,
 * and prose or a code fence around it.
 */
export function outputsIn(
  content: readonly ContentBlock[],
  { spec, isWrapped }: Pick<OutputTool, "spec" | "isWrapped">,
): Json[] {
  const call = content.filter(isToolUse).find(({ name }) => name === spec.name);
  const found = call === undefined ? jsonIn(content.filter(isText)) : [call.input];
  return isWrapped ? found.map(unwrapped) : found;
}

/** Returns the field `value` of an object that has one; otherwise the value itself. */
function unwrapped(found: Json): Json {
  return isJsonObject(found) && Object.hasOwn(found, "value") ? (found.value ?? null) : found;
}

/** Returns the whole text, the text after thinking, and the parts of that, as far as they are JSON. */
function jsonIn(blocks: readonly ContentBlock[]): Json[] {
  const text = textOf(blocks.map((block) => ({ ...block, text: `${block.text}\n` }))).trim();
  const thoughtAt = text.lastIndexOf(THOUGHT);
  const answer = text.slice(thoughtAt === -1 ? 0 : thoughtAt + THOUGHT.length);
  const parts = [...fencesIn(answer), between(answer, "{", "}"), between(answer, "[", "]")];
  return [...new Set([text, answer.trim(), ...parts])].flatMap(parsedJson);
}

/** The end of the thinking that some servers leave in the text. */
const THOUGHT = "</think>";

/** The most code fences that are validated: a slow schema would run for each. */
const MOST_FENCES = 3;

// Splits the text: the time of a pattern for a whole fence would grow with the square of the text's length.
/**
 * Returns the contents of the last code fences, the last one first, because earlier ones are often examples.
 */
function fencesIn(text: string): string[] {
  const parts = text.split("```");
  const fences = parts.filter((_, index) => index % 2 === 1).map((part) => part.replace(/^\w*\s/, "").trim());
  return fences.slice(-MOST_FENCES).reverse();
}

/** Returns the text from the first `open` to the last `close`; empty if there is no `open`. */
function between(text: string, open: string, close: string): string {
  return text.includes(open) ? text.slice(text.indexOf(open), text.lastIndexOf(close) + 1) : "";
}

/** Returns a list with the parsed value; empty if the text is not JSON. */
function parsedJson(text: string): Json[] {
  try {
    return [toJson(JSON.parse(text))];
  } catch {
    return [];
  }
}
