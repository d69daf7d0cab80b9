import { ignoreOverride, type Options, type Refs, zodToJsonSchema } from "zod-to-json-schema";
import { PawlError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";

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
 * Install the package `zod-to-json-schema`: version 3.24 for zod 3.24, and version 3.25 for later versions of
 * zod (also for `zod/v3` of zod 4).
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

/** The `output` converter: always throws. */
function outputUnknown(): never {
  throw new TypeError("zod3() describes only the input of a schema, not its output.");
}

/** The parts of a zod 3 definition that this file reads. */
interface Definition {
  typeName?: string;
  description?: string;
  coerce?: boolean;
  value?: unknown;
  schema?: { _def: Definition };
  effect?: { type: string };
  innerType?: { _def: Definition };
  options?: Iterable<{ _def: Definition }>;
}

type Described = Record<string, unknown>;

/**
 * Types whose values JSON cannot represent. The package `zod-to-json-schema` still describes them, or leaves
 * them out.
 */
const NO_JSON_SCHEMA: readonly string[] = [
  "ZodBigInt",
  "ZodDate",
  "ZodFunction",
  "ZodMap",
  "ZodNaN",
  "ZodPromise",
  "ZodSet",
  "ZodSymbol",
];

/**
 * Returns the JSON Schema (draft 2020-12) of a zod 3 schema's input.
 *
 * @throws TypeError for a part that JSON cannot represent.
 */
export function describeZod3(definition: object): Described {
  /** Inner schemas of `z.preprocess`. Their values are computed, so JSON need not represent them. */
  const computed = new WeakSet<Definition>();
  // Called for each definition. `seen` is set for one that was described before.
  const override = (def: Definition, { currentPath }: Refs, seen: { path: string[] } | undefined) => {
    if (seen !== undefined && isWithin(seen.path, currentPath)) return { $ref: pointer(seen.path) };
    checkJson(def, currentPath, computed);
    if (def.effect?.type === "preprocess" && def.schema !== undefined) computed.add(def.schema._def);
    if (def.typeName === "ZodLiteral" && def.value === null) return withDescription({ type: "null" }, def);
    return ignoreOverride;
  };
  const options = {
    // `override` creates the references, and only for schemas that contain themselves.
    $refStrategy: "none",
    pipeStrategy: "input",
    effectStrategy: "input",
    removeAdditionalStrategy: "strict",
    allowedAdditionalProperties: undefined,
    override,
    postProcess: (described: Described | undefined, def: Definition) =>
      def.typeName === "ZodTuple" && described !== undefined ? tuple(described) : described,
  };
  return zodToJsonSchema({ _def: definition } as never, options as Partial<Options>) as Described;
}

/** Throws for a definition whose values JSON cannot represent. */
function checkJson(def: Definition, path: readonly string[], computed: WeakSet<Definition>): void {
  if (def.typeName === undefined) throw new TypeError(`${path.join("/")} is not a schema of zod 3`);
  const unsupported = [def, ...membersOf(def)].find((part) => isWithoutJson(part) && !computed.has(part));
  if (unsupported !== undefined)
    throw new TypeError(`JSON cannot represent a ${unsupported.typeName} at ${path.join("/")}`);
}

/** Inner definitions that `zod-to-json-schema` may describe without calling `override`. */
function membersOf({ typeName, options = [], innerType }: Definition): Definition[] {
  if (typeName === "ZodUnion") return Array.from(options, ({ _def }) => _def);
  return typeName === "ZodNullable" && innerType !== undefined ? [innerType._def] : [];
}

function isWithoutJson({ typeName = "", coerce, value }: Definition): boolean {
  if (typeName === "ZodLiteral")
    return !["string", "number", "boolean"].includes(typeof value) && value !== null;
  return NO_JSON_SCHEMA.includes(typeName) && coerce !== true;
}

/** Returns whether the path `inner` leads through `outer`. */
const isWithin = (outer: readonly string[], inner: readonly string[]) =>
  outer.length < inner.length && outer.every((token, index) => token === inner[index]);

/** Converts a path of `zod-to-json-schema` to a reference in draft 2020-12. */
function pointer(path: readonly string[]): string {
  const tokens = path.map((token, index) => {
    if (path[index - 1] === "properties")
      return encodeURIComponent(token.replaceAll("~", "~0").replaceAll("/", "~1"));
    if (token === "items" && /^\d+$/.test(path[index + 1] ?? "")) return "prefixItems";
    return token === "additionalItems" ? "items" : token;
  });
  return tokens.join("/");
}

/** Converts a tuple from draft 7 to draft 2020-12. */
function tuple({ items, additionalItems = false, ...rest }: Described): Described {
  const prefix = Array.isArray(items) && items.length > 0 ? { prefixItems: items } : {};
  return { ...rest, ...prefix, items: additionalItems };
}

const withDescription = (described: Described, { description }: Definition): Described =>
  description === undefined ? described : { ...described, description };
