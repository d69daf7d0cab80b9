import { Validator } from "@cfworker/json-schema";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { messageOf, PawlError } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";

/**
 * A schema that can both validate and describe itself as JSON Schema, by the two standards of
 * <https://standardschema.dev>: zod from 4.2, ArkType, Valibot through `toStandardJsonSchema`, or
 * {@link jsonSchema}. A schema of zod 3 becomes one through `zod3()` of `@pawl/core/zod3`.
 */
export interface Schema<Output = unknown> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output>;
}

/** The type that a schema validates to. */
export type Infer<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/** What came of validating a value: the parsed value, or one line per thing that is wrong. */
export type Validated<T> = { ok: true; value: T } | { ok: false; problems: string[] };

/**
 * A schema from plain JSON Schema (draft 2020-12), for tools whose description comes as data. References lead
 * to places inside of it.
 *
 * @throws PawlError `config` for what is no object. What else is wrong with it is found when a tool is made
 * of it.
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
    if (!isJsonObject(schema)) throw new TypeError("it is no object");
    // The validator writes notes into the schema it is given.
    return new Validator(structuredClone(schema), "2020-12", false);
  } catch (cause) {
    throw new PawlError("config", `jsonSchema() was given no JSON Schema: ${messageOf(cause)}.`, { cause });
  }
}

/** Keywords that only repeat what the parts they contain have said. */
const CONTAINERS: readonly string[] = ["properties", "items", "additionalProperties"];

/**
 * Validates a value from outside. Never throws for a bad value. Nearly all schemas answer at once; one that
 * does not may never: `within` is how long it is waited for.
 */
export async function validate<S extends Schema>(
  schema: S,
  value: unknown,
  within: <T>(work: PromiseLike<T>) => Promise<T> = (work) => Promise.resolve(work),
): Promise<Validated<Infer<S>>> {
  const said = schema["~standard"].validate(value as never);
  const result = "then" in said ? await within(said) : said;
  if (result.issues === undefined) return { ok: true, value: result.value as Infer<S> };
  return { ok: false, problems: result.issues.map(problem) };
}

function problem(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
