import type { ApiError } from "../base/api-error.ts";
import { shown } from "../base/shown.ts";
import { isObject } from "../base/wire-request.ts";
import type { Check } from "../messages/validate/checks.ts";
import { dictionary, flag, nullable, objectWith, oneOf, text, upTo } from "./chat-checks.ts";
import { refused } from "./chat-error.ts";
import type { ChatRequest } from "./chat-request.ts";
import { problemIn } from "./chat-tools.ts";

const jsonSchema = objectWith(
  { name: upTo(64, /^[a-zA-Z0-9_-]+$/) },
  { description: text, schema: dictionary, strict: nullable(flag) },
);

const format = objectWith({ type: oneOf("text", "json_object", "json_schema") }, { json_schema: jsonSchema });

/** Checks the field `response_format`. */
export const responseFormat: Check = (value, path) => {
  const error = format(value, path);
  if (error !== undefined || !isObject(value) || value.type !== "json_schema") return error;
  return value.json_schema === undefined
    ? refused("Missing required parameter: 'response_format.json_schema'.", "response_format.json_schema")
    : undefined;
};

/** Keywords that strict schemas must not have. */
const REFUSED = [
  ...["allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "oneOf"],
  ...["default", "minLength", "maxLength", "uniqueItems", "patternProperties", "propertyNames"],
];

/** The most levels, fields and values of enums of a strict schema. */
const MOST = { levels: 10, fields: 5_000, values: 1_000 };

/** Checks the schema of a strict response format. */
export function checkFormat({ response_format }: ChatRequest): ApiError | undefined {
  const { json_schema } = Object(response_format) as { json_schema?: { [key: string]: unknown } };
  const { name, schema, strict } = json_schema ?? {};
  if (strict !== true || !isObject(schema)) return undefined;
  const wrong = (what: string): ApiError =>
    refused(
      `Invalid schema for response_format '${name}': ${what}`,
      "response_format",
      "invalid_json_schema",
    );
  if (schema.type !== "object")
    return wrong(
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${shown(schema.type ?? "None")}"'.`,
    );
  if (Object.hasOwn(schema, "anyOf")) return wrong("root schema must not have 'anyOf'.");
  const problem = problemIn(schema, [], true) ?? refusedKeyword(schema) ?? tooLarge(schema);
  return problem === undefined ? undefined : wrong(problem);
}

function refusedKeyword(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const keyword = REFUSED.find((one) => Object.hasOwn(schema, one));
  if (keyword !== undefined) return `'${keyword}' is not permitted.`;
  const isTyped = ["type", "anyOf", "$ref"].some((one) => Object.hasOwn(schema, one));
  if (!isTyped) return "schema must have a 'type' key.";
  return partsOf(schema)
    .map(refusedKeyword)
    .find((problem) => problem !== undefined);
}

function tooLarge(schema: { [key: string]: unknown }): string | undefined {
  const { levels, fields, values } = sizeOf(schema);
  if (values > MOST.values) return `${values} enum values exceeds limit of ${MOST.values}.`;
  if (levels > MOST.levels) return `${levels} levels of nesting exceeds limit of ${MOST.levels}.`;
  return fields > MOST.fields ? `${fields} object properties exceeds limit of ${MOST.fields}.` : undefined;
}

function sizeOf(schema: unknown): { levels: number; fields: number; values: number } {
  if (!isObject(schema)) return { levels: 0, fields: 0, values: 0 };
  const inside = partsOf(schema).map(sizeOf);
  const own = isObject(schema.properties) ? Object.keys(schema.properties).length : 0;
  const isLevel = schema.type === "object" || schema.type === "array" ? 1 : 0;
  return {
    levels: isLevel + Math.max(0, ...inside.map(({ levels }) => levels)),
    fields: inside.reduce((sum, { fields }) => sum + fields, own),
    values: inside.reduce(
      (sum, { values }) => sum + values,
      Array.isArray(schema.enum) ? schema.enum.length : 0,
    ),
  };
}

function partsOf({ properties, items, anyOf }: { [key: string]: unknown }): unknown[] {
  const fields = isObject(properties) ? Object.values(properties) : [];
  return [...fields, items, ...(Array.isArray(anyOf) ? anyOf : [])];
}
