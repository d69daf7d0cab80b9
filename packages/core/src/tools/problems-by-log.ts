import { isEqualJson, type Json, type JsonObject } from "../base/json.ts";
import { lazyJsonSchema } from "../schema/lazy-json-schema.ts";
import { type Schema, validate } from "../schema/schema.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { QuestionRecord } from "../session/asking.ts";
import { answerExcess } from "./answer-bounds.ts";

/**
 * The steps that a validation of an answer by a schema in the log may take. A server may have sent that
 * schema, e.g. the form of an MCP server.
 */
const MOST_ANSWER_STEPS = 500_000;

/** Returns how an answer differs from what a schema in the log allows; empty if it does not. */
export async function problemsByLog(schema: JsonObject | undefined, value: Json): Promise<readonly string[]> {
  const excess = answerExcess(value);
  if (excess !== undefined) return [excess];
  const checked = await validate(lazyJsonSchema(schema ?? {}, MOST_ANSWER_STEPS), value);
  return checked.ok ? [] : checked.problems;
}

/**
 * Returns whether a question showed the user this schema of its answer. Another version of the tool may have
 * asked.
 */
export function isShown(schema: Schema, { answerSchema }: Pick<QuestionRecord, "answerSchema">): boolean {
  return isEqualJson(toJsonSchema(schema, "an answer"), answerSchema);
}
