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

// A schema of zod, from 4.2, has the type of its values in `_zod` too. TypeScript computes the types in
// `~standard` from it, for input and output. Reading `_zod` alone saves a sixth of what a tool costs the
// compiler, and `S["_zod"]["output"]` costs less than an `infer`, see test/type-cost.test.ts. A constraint `S
// extends Schema` would cost what that saves, so options check it in the type of the schema itself. (There,
// `S & Schema` is too deep for ArkType and TypeScript 5.9.)
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
  const said = schema["~standard"].validate(value as never);
  const take = (result: Awaited<typeof said>): Validated<Infer<S>> =>
    result.issues === undefined
      ? { ok: true, value: result.value as Infer<S> }
      : { ok: false, problems: result.issues.slice(0, MOST_PROBLEMS).map((issue) => problem(issue, value)) };
  if (!("then" in said)) return take(said);
  // `within` may wait for something else first. A promise that is rejected before it is awaited would end the
  // process.
  said.then(undefined, () => undefined);
  return within(said).then(take);
}

function problem({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  if (keys.length === 0) return clipText(message, LONGEST_PROBLEM);
  // Libraries describe a missing field as one of the wrong type, or only list its valid values.
  const isToAdd = isAbsent(value, keys) && !message.includes("missing");
  return clipText(`${keys.join(".")}: ${isToAdd ? `is missing (${message})` : message}`, LONGEST_PROBLEM);
}

/** Returns whether the last of these keys is missing in the value, and all others lead to an object. */
function isAbsent(value: unknown, keys: readonly string[]): boolean {
  let at: unknown = value;
  for (const key of keys) {
    if (typeof at !== "object" || at === null) return false;
    at = Object.hasOwn(at, key) ? (at as { [key: string]: unknown })[key] : undefined;
  }
  return at === undefined;
}
