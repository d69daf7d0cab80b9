import { isEqualJson } from "../base/json.ts";
import type { Schema } from "../schema/schema.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import type { QuestionRecord } from "../session/asking.ts";

/**
 * Returns whether a question showed the user this schema of its answer. Another version of the tool may have
 * asked.
 */
export function isShown(schema: Schema, { answerSchema }: Pick<QuestionRecord, "answerSchema">): boolean {
  return isEqualJson(toJsonSchema(schema, "an answer"), answerSchema);
}
