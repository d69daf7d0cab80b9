import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { clipText } from "../context/clip.ts";
import { type ContentBlock, isText, isToolUse, textOf } from "../model/content.ts";
import type { OutputTool } from "./output-tool.ts";

/**
 * Returns what may be the output in an answer: the input of the tool call, or else each JSON value that the
 * text may have. Models that do not call the tool put prose or a code fence around the JSON, or thinking
 * before it.
 */
export function outputsIn(
  content: readonly ContentBlock[],
  { spec, isWrapped }: Pick<OutputTool, "spec" | "isWrapped">,
): Json[] {
  const call = content.filter(isToolUse).find(({ name }) => name === spec.name);
  const found = call === undefined ? jsonIn(content.filter(isText)) : [call.input];
  return isWrapped ? found.map(unwrapped) : found;
}

/** Returns the problems of an output as one text. */
export function listedProblems(problems: readonly string[]): string {
  return clipText(problems.slice(0, MOST_PROBLEMS).join("; "), 1_000);
}

const MOST_PROBLEMS = 10;

function unwrapped(found: Json): Json {
  return isJsonObject(found) && Object.hasOwn(found, "value") ? (found.value ?? null) : found;
}

function jsonIn(blocks: readonly ContentBlock[]): Json[] {
  const text = textOf(blocks.map((block) => ({ ...block, text: `${block.text}\n` })));
  const said = text.slice(text.lastIndexOf("</think>") + 1).trim();
  const fence = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(said)?.[1] ?? "";
  return [said, fence, between(said, "{", "}"), between(said, "[", "]")].flatMap(parsedJson);
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
