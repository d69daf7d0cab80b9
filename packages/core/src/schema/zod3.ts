import { PawlError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";
import { describeZod3 } from "./zod3-to-json-schema.ts";

/** A schema of zod 3, from any installed copy of zod. */
export interface Zod3Schema {
  readonly _input: unknown;
  readonly _output: unknown;
  readonly _def: object;
  /** Schemas of zod 4 have this field, so the type refuses them. */
  readonly _zod?: never;
  safeParseAsync(value: unknown): Promise<Zod3Result>;
}

/** The outcome of a validation by zod 3. */
export type Zod3Result =
  | { success: true; data: unknown }
  | {
      success: false;
      error: { issues: readonly { message: string; path: readonly PropertyKey[] }[] };
    };

/**
 * Wraps a schema of zod 3, for a tool's input or for the answer to its question. Types are inferred as with
 * zod 4. The model reads the same description as with zod 4: fields with a default are optional, and a
 * transform is described by its input.
 *
 * Install the package `zod-to-json-schema`: version 3.25 with zod from 3.25 on (also for `zod/v3` of zod 4),
 * and version 3.24 with zod 3.24.
 *
 * `tool()` refuses types that JSON cannot represent (`z.date()`, `z.bigint()`, `z.map()` …), unless
 * `z.coerce` or `z.preprocess` makes the value from JSON.
 *
 * @throws PawlError `config` if the value is not a schema of zod 3. Schemas of zod 4 need no wrapping.
 *
 * @example
 * ```ts
 * import { tool } from "@pawl/core";
 * import { zod3 } from "@pawl/core/zod3";
 * import { z } from "zod/v3"; // or "zod", where that is zod 3
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   input: zod3(z.object({ a: z.number(), b: z.number().default(1) })),
 *   execute: ({ a, b }) => a + b,
 * });
 * console.log(add.spec.input_schema.required); // ["a"]
 * ```
 */
export function zod3<S extends Zod3Schema>(schema: S): Schema<S["_output"]> {
  const { _def } = (schema ?? {}) as { _def?: { typeName?: unknown } };
  if (typeof _def?.typeName !== "string") {
    throw new PawlError(
      "config",
      "zod3() must be given a schema of zod 3. A schema of zod 4 needs no wrapping: pass it to the tool as it is.",
    );
  }
  return {
    "~standard": {
      version: 1,
      vendor: "zod",
      validate: async (value) => {
        const result = await schema.safeParseAsync(value);
        return result.success ? { value: result.data } : { issues: result.error.issues };
      },
      jsonSchema: { input: () => describeZod3(_def), output: () => outputUnknown() },
    },
  };
}

function outputUnknown(): never {
  throw new TypeError("zod3() describes only the input of a schema, not its output.");
}
