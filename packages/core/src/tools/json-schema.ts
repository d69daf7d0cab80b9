import { Validator } from "@cfworker/json-schema";
import { messageOf, PawlError } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
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
        return {
          issues: leaves.map((error) => ({
            message: error.keyword === "false" ? "is not known here" : error.error,
            path: error.instanceLocation.split("/").slice(1),
          })),
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

/** Keywords whose errors only repeat the errors of the parts inside them. */
const CONTAINERS: readonly string[] = ["properties", "items", "additionalProperties"];
