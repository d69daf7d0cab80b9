import type { JsonObject, ModelRequest } from "@pawl/core";
import { formatSchema } from "@pawl/core/model";
import type { OpenAI } from "openai";

/**
 * What strict response formats can express, as of 2026-11-23. Every field must be required. An enum of more
 * than 250 texts has a limit on its length, too.
 */
const RULES = { levels: 5, fields: 100, optional: 0, unions: 50, values: 250 };

/** Returns a schema as the API takes it; `undefined` if the API cannot express it. */
export function chatFormat(schema: JsonObject): JsonObject | undefined {
  return formatSchema(schema, RULES);
}

/** Returns the field `response_format` of a request. */
export function responseFormat({ outputFormat }: ModelRequest): {
  response_format?: OpenAI.ResponseFormatJSONSchema;
} {
  if (outputFormat === undefined) return {};
  const json_schema = { name: "output", strict: true, schema: { ...outputFormat } };
  return { response_format: { type: "json_schema", json_schema } };
}
