import { Validator } from "@cfworker/json-schema";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { PawlError } from "../errors.ts";
import type { JsonObject } from "../json.ts";

/**
 * A schema that can both validate and describe itself as JSON Schema: zod from 4.2, ArkType, Valibot through its
 * JSON Schema package, or {@link jsonSchema}.
 */
export type Schema<Output = unknown> =
  | StandardSchemaV1<unknown, Output>
  | StandardSchemaV1<never, Output>
  | AnySchema<Output>;

/** As `Schema`, whatever its input type. */
// biome-ignore lint/suspicious/noExplicitAny: the input type of a schema is irrelevant here and `any` alone is bivariant
type AnySchema<Output> = StandardSchemaV1<any, Output>;

/** The type that a schema validates to. */
export type Infer<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/** What came of validating a value: the parsed value, or one line per thing that is wrong. */
export type Validated<T> = { ok: true; value: T } | { ok: false; problems: string[] };

/**
 * A schema from plain JSON Schema (draft 2020-12), for tools whose description comes as data.
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
export function jsonSchema<Output = unknown>(schema: JsonObject): StandardSchemaV1<unknown, Output> {
  // The validator writes notes into the schema it is given.
  const validator = new Validator(structuredClone(schema), "2020-12", false);
  const props: StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output> = {
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
  };
  return { "~standard": props };
}

/** Keywords that only repeat what the parts they contain have said. */
const CONTAINERS: readonly string[] = ["properties", "items", "additionalProperties"];

/**
 * The JSON Schema of what a schema takes in: a field with a default is not required.
 *
 * @throws PawlError `config` when the schema cannot say it, e.g. zod before 4.2, or `z.date()`.
 */
export function toJsonSchema(schema: Schema, what: string): JsonObject {
  const standard = schema["~standard"] as Partial<StandardJSONSchemaV1.Props>;
  if (standard.jsonSchema === undefined) {
    throw new PawlError(
      "config",
      `The schema of ${what} cannot describe itself as JSON Schema. Use zod 4.2 or newer, or jsonSchema({ … }).`,
    );
  }
  try {
    const { $schema: _, ...described } = standard.jsonSchema.input({ target: "draft-2020-12" });
    return described as JsonObject;
  } catch (cause) {
    throw new PawlError("config", `The schema of ${what} has a part that JSON Schema cannot express.`, {
      cause,
    });
  }
}

/** Validates a value from outside. Never throws for a bad value. */
export async function validate<S extends Schema>(schema: S, value: unknown): Promise<Validated<Infer<S>>> {
  const result = await schema["~standard"].validate(value as never);
  if (result.issues === undefined) return { ok: true, value: result.value as Infer<S> };
  return { ok: false, problems: result.issues.map(problem) };
}

function problem(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
