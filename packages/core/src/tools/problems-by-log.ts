import { isEqualJson, type Json, type JsonObject } from "../base/json.ts";
import { lazyJsonSchema } from "../schema/lazy-json-schema.ts";
import { type Schema, validate } from "../schema/schema.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { QuestionRecord } from "../session/asking.ts";
import { answerExcess } from "./answer-bounds.ts";

/**
 * The most steps that the validation of an answer by a stored schema may take. The schema may come from
 * outside, e.g. the form of an MCP server.
 */
const MOST_ANSWER_STEPS = 500_000;

/**
 * Validates an answer by the schema that is stored with its question. Returns the problems; empty if valid.
 */
export async function problemsByLog(schema: JsonObject | undefined, value: Json): Promise<readonly string[]> {
  const excess = answerExcess(value);
  if (excess !== undefined) return [excess];
  const checked = await validate(lazyJsonSchema(schema ?? {}, MOST_ANSWER_STEPS), value);
  return checked.ok ? [] : checked.problems;
}

/**
 * Returns whether a stored question has this schema for its answer, i.e. whether the user was shown it. The
 * schemas may differ if another version of the tool asked.
 */
export function isShown(schema: Schema, { answerSchema }: Pick<QuestionRecord, "answerSchema">): boolean {
  return isEqualJson(toJsonSchema(schema, "an answer"), answerSchema);
}
