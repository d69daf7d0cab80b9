import { excessOf, type JsonBounds } from "../base/excess.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { MAX_DEPTH } from "../base/json-depth.ts";
import { lazyJsonSchema } from "./lazy-json-schema.ts";
import { validate } from "./schema.ts";

/** What an answer may have at most, whichever way it came. */
const ANSWER_BOUNDS: JsonBounds = { levels: MAX_DEPTH, values: 50_000 };

/**
 * The steps that a validation of an answer by a schema in the log may take. A server may have sent that
 * schema, e.g. the form of an MCP server.
 */
const MOST_ANSWER_STEPS = 500_000;

/** Returns what an answer has too much of; `undefined` if its schema may judge it. */
export function answerExcess(value: unknown): string | undefined {
  const excess = excessOf(value, ANSWER_BOUNDS);
  return excess && `it has more than ${ANSWER_BOUNDS[excess]} ${excess}`;
}

/** Returns how an answer differs from what a schema in the log allows; empty if it does not. */
export async function problemsByLog(schema: JsonObject | undefined, value: Json): Promise<readonly string[]> {
  const excess = answerExcess(value);
  if (excess !== undefined) return [excess];
  const checked = await validate(lazyJsonSchema(schema ?? {}, MOST_ANSWER_STEPS), value);
  return checked.ok ? [] : checked.problems;
}
