import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { kindOf } from "../base/check-options.ts";
import { clipText } from "../base/clip-text.ts";
import { PawlError } from "../base/errors.ts";
import { LONGEST_PROBLEM, MOST_PROBLEMS } from "./problems.ts";

/**
 * A schema that validates values and describes itself as JSON Schema, by the two standards of
 * <https://standardschema.dev>. Use zod from 4.2, ArkType, Valibot with `toStandardJsonSchema`, or
 * `jsonSchema()`. For a schema of zod 3, use `zod3()` of `@pawl/core/zod3`.
 */
export interface Schema<Output = unknown> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output>;
}

// A schema of zod, from 4.2, has the type of its values in `_zod` too, and TypeScript computes the types in
// `~standard` from that. Reading `_zod` alone saves a sixth of the compiler's work for a tool, see
// test/type-cost.test.ts. `S["_zod"]["output"]` takes less work than an `infer`. A constraint `S extends
// Schema` would take as much as that saves, so options check the schema in its own type. (There, `S & Schema`
// is too deep for ArkType and TypeScript 5.9.)
/** The type of a schema's parsed values. */
export type Infer<S> = S extends {
  readonly _zod: { readonly output: unknown };
  readonly toJSONSchema: unknown;
}
  ? S["_zod"]["output"]
  : S extends Schema
    ? StandardSchemaV1.InferOutput<S>
    : never;

/** The type of the values that a schema takes, before defaults and transforms. */
export type InferInput<S> = S extends {
  readonly _zod: { readonly input: unknown };
  readonly toJSONSchema: unknown;
}
  ? S["_zod"]["input"]
  : S extends Schema
    ? unknown extends StandardSchemaV1.InferInput<S>
      ? StandardSchemaV1.InferOutput<S>
      : StandardSchemaV1.InferInput<S>
    : never;

/** The outcome of a validation: the parsed value, or one line for each of the first ten problems. */
export type Validated<T> = { ok: true; value: T } | { ok: false; problems: string[] };

/**
 * Validates a value by a schema. An invalid value does not throw: the result lists its problems. `within`
 * limits the wait for a schema that validates asynchronously. Default: no limit.
 *
 * @example
 * ```ts
 * import { validate } from "@pawl/core";
 * import * as z from "zod";
 *
 * const city = z.object({ city: z.string() });
 * console.log(await validate(city, { city: "Oslo" })); // { ok: true, value: { city: 'Oslo' } }
 *
 * const wrong = await validate(city, { city: 5 });
 * if (!wrong.ok) console.log(wrong.problems); // [ 'city: Invalid input: expected string, received number' ]
 * ```
 */
export async function validate<S extends Schema>(
  schema: S,
  value: unknown,
  within: <T>(work: PromiseLike<T>) => Promise<T> = (work) => Promise.resolve(work),
): Promise<Validated<Infer<S>>> {
  if (typeof schema?.["~standard"]?.validate !== "function") {
    const message = `validate() takes a schema, e.g. z.object({ … }) of zod; got ${kindOf(schema)}.`;
    throw new PawlError("config", message);
  }
  return await validated(schema, value, within);
}

/** Validates like {@link validate}. Returns no promise if the schema is synchronous. */
export function validated<S extends Schema>(
  schema: S,
  value: unknown,
  within: <T>(work: PromiseLike<T>) => Promise<T>,
): Validated<Infer<S>> | Promise<Validated<Infer<S>>> {
  const outcome = schema["~standard"].validate(value as never);
  const toValidated = (result: Awaited<typeof outcome>): Validated<Infer<S>> =>
    result.issues === undefined
      ? { ok: true, value: result.value as Infer<S> }
      : { ok: false, problems: result.issues.slice(0, MOST_PROBLEMS).map((issue) => problem(issue, value)) };
  if (!("then" in outcome)) return toValidated(outcome);
  // `within` may wait for something else first. If the promise rejects before anything awaits it, Node would
  // end the process.
  outcome.then(undefined, () => undefined);
  return within(outcome).then(toValidated);
}

/** Describes one problem: the path to the field, and the message. */
function problem({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  if (keys.length === 0) return clipText(message, LONGEST_PROBLEM);
  // Libraries describe a missing field as one of the wrong type, or only list its valid values.
  const needsHint = isAbsent(value, keys) && !message.includes("missing");
  return clipText(`${keys.join(".")}: ${needsHint ? `is missing (${message})` : message}`, LONGEST_PROBLEM);
}

/**
 * Returns whether the field that these keys lead to is missing. Returns `false` if its parent is no object.
 */
function isAbsent(value: unknown, keys: readonly string[]): boolean {
  let part: unknown = value;
  for (const key of keys) {
    if (typeof part !== "object" || part === null) return false;
    part = Object.hasOwn(part, key) ? (part as { [key: string]: unknown })[key] : undefined;
  }
  return part === undefined;
}
