import { PawlError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";
import { describeZod3 } from "./zod3-to-json-schema.ts";

/** What `zod3()` needs of a schema of zod 3, whichever copy of zod it comes from. */
export interface Zod3Schema {
  readonly _input: unknown;
  readonly _output: unknown;
  readonly _def: object;
  /** Schemas of zod 4 have it. */
  readonly _zod?: never;
  safeParseAsync(value: unknown): Promise<Zod3Result>;
}

/** What zod 3 says of a value. */
export type Zod3Result =
  | { success: true; data: unknown }
  | {
      success: false;
      error: { issues: readonly { message: string; path: readonly PropertyKey[] }[] };
    };

/**
 * A schema of zod 3, for a tool's input or its answer. Types follow from it as from one of zod 4, and so does
 * what the model reads: fields with a default are not required, transforms are described by what they take
 * in, tuples and recursion are put as in draft 2020-12. It needs the package `zod-to-json-schema`: 3.25
 * beside zod from 3.25 on, 4 with its `zod/v3` included, and 3.24 beside zod 3.24.
 *
 * What JSON has no word for (`z.date()`, `z.bigint()`, `z.map()` …) is refused by `tool()`, unless it is made
 * of something else, by `z.coerce` or `z.preprocess`.
 *
 * @throws PawlError `config` for anything else than a schema of zod 3: those of zod 4 go into a tool as they
 * are.
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
      "zod3() takes a schema of zod 3, and this is none. One of zod 4 needs no wrapping: use it as it is.",
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
  throw new TypeError("A schema of zod 3 is described by what it takes in.");
}
