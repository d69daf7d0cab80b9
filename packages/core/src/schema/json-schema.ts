import { messageOf, PawlError } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { findMistakes, judgeOf } from "./judge.ts";
import type { Mistake, PreparedSchema } from "./judging.ts";
import type { Schema } from "./schema.ts";

/**
 * Makes a schema from plain JSON Schema (draft 2020-12), e.g. for a tool that is defined in a database. Every
 * `$ref` must refer to a place inside the same schema.
 *
 * @throws PawlError `config` if the schema is not an object, or an `$id` or `$ref` in it is not a URI.
 * `tool()` finds other mistakes in the schema.
 *
 * @example
 * ```ts
 * import { jsonSchema, tool } from "@pawl/core";
 *
 * const echo = tool({
 *   name: "echo",
 *   description: "Says it again.",
 *   input: jsonSchema<{ text: string }>({
 *     type: "object",
 *     properties: { text: { type: "string" } },
 *     required: ["text"],
 *   }),
 *   execute: ({ text }) => text,
 * });
 * console.log(echo.name);
 * ```
 */
export function jsonSchema<Output = unknown>(schema: JsonObject): Schema<Output> {
  return schemaJudgedBy(schema, checkedJudge(schema), Number.POSITIVE_INFINITY);
}

/**
 * Makes a schema that describes itself as `schema` and validates by `judge`. A value that takes more than
 * `steps` steps to validate is invalid.
 */
export function schemaJudgedBy<Output>(
  schema: JsonObject,
  judge: PreparedSchema,
  steps: number,
): Schema<Output> {
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate: (value) => {
        const mistakes = findMistakes(judge, value, steps);
        return mistakes.length === 0
          ? { value: value as Output }
          : { issues: mistakes.map(issueFor(schema)) };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/**
 * Prepares a schema. @throws PawlError `config` if it is not an object, or an `$id` or `$ref` is not a URI
 */
export function checkedJudge(schema: unknown): PreparedSchema {
  try {
    if (!isJsonObject(schema)) throw new TypeError("it is not an object");
    return judgeOf(schema);
  } catch (cause) {
    throw new PawlError("config", `jsonSchema() must be given a JSON Schema: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

/** Makes a function that converts each mistake of one validation to an issue. */
function issueFor(schema: JsonObject): (mistake: Mistake) => { message: string; path: readonly string[] } {
  const listedBefore = new Set<string>();
  return ({ keyword, message, path }) => ({
    // A field that the schema does not have is usually refused by `additionalProperties: false`.
    message: keyword === "false" ? unknownField(schema, path, listedBefore) : message,
    path,
  });
}

/** Describes a field that the schema does not have. Names the known fields only once per object. */
function unknownField(schema: JsonObject, path: readonly string[], listedBefore: Set<string>): string {
  const fields = fieldsAt(schema, path.slice(0, -1)).join(", ");
  if (fields === "" || listedBefore.has(fields)) return "is not known here";
  listedBefore.add(fields);
  return `is not known here; the fields are ${fields}`;
}

/** Returns the names of the fields of the object at a path, or none if only a reference leads there. */
function fieldsAt(schema: JsonObject, path: readonly string[]): string[] {
  let part: Json | undefined = schema;
  for (const name of path) {
    if (!isJsonObject(part)) return [];
    const { properties = {}, items }: JsonObject = part;
    part = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : items;
  }
  const { properties } = isJsonObject(part) ? part : {};
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
