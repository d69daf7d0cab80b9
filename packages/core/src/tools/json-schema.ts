import { Validator } from "@cfworker/json-schema";
import { messageOf, PawlError } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { Schema } from "./schema.ts";

/**
 * Makes a schema from plain JSON Schema (draft 2020-12), e.g. for a tool that is defined in a database. Every
 * `$ref` must refer to a place inside the same schema.
 *
 * @throws PawlError `config` if the schema is not an object. `tool()` finds other mistakes in the schema.
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
  const validator = validatorOf(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate: (value) => {
        const { valid, errors } = validator.validate(value);
        if (valid) return { value: value as Output };
        const leaves = errors.filter(({ keyword }) => !CONTAINERS.includes(keyword));
        const listed = new Set<string>();
        return {
          issues: leaves.map((error) => {
            const path = error.instanceLocation.split("/").slice(1);
            const field = missingField(error);
            if (field !== undefined) return { message: "is missing", path: [...path, field] };
            return {
              message: error.keyword === "false" ? notKnown(schema, path, listed) : error.error,
              path,
            };
          }),
        };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

function validatorOf(schema: unknown): Validator {
  try {
    if (!isJsonObject(schema)) throw new TypeError("it is not an object");
    // The validator adds fields to the schema that it gets.
    return new Validator(structuredClone(schema), "2020-12", false);
  } catch (cause) {
    throw new PawlError("config", `jsonSchema() must be given a JSON Schema: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

/** Returns the name of the required field whose absence the validator reports. */
function missingField({ keyword, error }: { keyword: string; error: string }): string | undefined {
  return keyword === "required" ? /"(.*)"/s.exec(error)?.[1] : undefined;
}

/** Describes a field that the schema does not have. Lists the fields of each object only once. */
function notKnown(schema: JsonObject, path: readonly string[], listed: Set<string>): string {
  const fields = fieldsAt(schema, path.slice(0, -1)).join(", ");
  if (fields === "" || listed.has(fields)) return "is not known here";
  listed.add(fields);
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

/** Keywords whose errors only repeat the errors of the parts inside them. */
const CONTAINERS: readonly string[] = ["properties", "items", "additionalProperties"];
