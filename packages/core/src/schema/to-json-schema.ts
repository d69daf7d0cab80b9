import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { messageOf, PawlError } from "../base/errors.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "../base/json.ts";
import { describeInvalidPart, unjudgedPart } from "./check-json-schema.ts";
import type { Schema } from "./schema.ts";

/**
 * Returns the JSON Schema (draft 2020-12) of a schema's input. A field with a default is optional there. If
 * the root is only a reference to a definition, the definition takes its place.
 *
 * @param owner the schema's owner, for error messages, e.g. `the tool "add"`
 * @throws PawlError `config` if JSON Schema cannot express the schema, e.g. `z.date()`; if its library does
 * not support Standard JSON Schema, e.g. zod before 4.2; or if the library's JSON Schema is invalid.
 *
 * @example
 * ```ts
 * import { toJsonSchema } from "@pawl/core";
 * import * as z from "zod";
 *
 * const schema = z.object({ city: z.string(), days: z.int().default(1) });
 * const { type, required } = toJsonSchema(schema, "the tool");
 * console.log(type, required); // object [ 'city' ]
 * ```
 */
export function toJsonSchema(schema: Schema, owner = "toJsonSchema()"): JsonObject {
  const { vendor, jsonSchema } = standardOf(schema);
  if (typeof jsonSchema?.input !== "function") {
    throw config(`The schema of ${owner} cannot describe itself as JSON Schema. ${remedy(schema, vendor)}`);
  }
  const described = describe(jsonSchema.input, vendor, owner);
  if (!isJsonObject(described)) throw config(`The JSON Schema of ${owner} is not an object.`);
  const { $schema: _, ...own } = described;
  const broken =
    vendor === "pawl" ? (describeInvalidPart(own, "u") ?? unjudgedPart(own)) : describeInvalidPart(own);
  if (broken !== undefined) throw config(`The schema of ${owner} is not valid JSON Schema: ${broken}.`);
  return atRoot(own);
}

type Standard = Partial<StandardJSONSchemaV1.Props>;

/** Returns the standard properties of a schema; an empty object for any other value. */
function standardOf(schema: Partial<Schema> | null | undefined): Standard {
  return (schema?.["~standard"] ?? {}) as Standard;
}

/**
 * Options for libraries that by default leave out parts that JSON cannot represent. With these options, such
 * a part throws.
 */
const STRICT: ReadonlyMap<string, Record<string, unknown>> = new Map([
  [
    "arktype",
    { fallback: { date: refuse("a Date"), proto: refuse("a class"), domain: refuse("this type") } },
  ],
]);

/** Makes a handler that throws for a part of this type. */
function refuse(type: string): () => never {
  return () => {
    throw new TypeError(`JSON cannot represent ${type}`);
  };
}

function describe(input: StandardJSONSchemaV1.Converter["input"], vendor = "", owner: string): Json {
  const libraryOptions = STRICT.get(vendor);
  try {
    return toJson(input({ target: "draft-2020-12", ...(libraryOptions && { libraryOptions }) }));
  } catch (cause) {
    const message = `The schema of ${owner} has a part that JSON Schema cannot express: ${messageOf(cause)}${hintOnDates(messageOf(cause), vendor)}`;
    throw new PawlError("config", message, { cause });
  }
}

function hintOnDates(message: string, vendor: string): string {
  if (!/\bdate\b/i.test(message)) return "";
  return `${message.endsWith(".") ? "" : "."} For a date, use ${vendor === "zod" ? "z.iso.datetime() or z.iso.date()" : "a string"}.`;
}

/** Returns a sentence that says how to fix a schema without a JSON Schema. */
function remedy(schema: unknown, vendor: string | undefined): string {
  const { _def, _zod } = (schema ?? {}) as { _def?: { typeName?: unknown }; _zod?: unknown };
  if (_zod !== undefined) return "Use zod itself from 4.2 on, not zod/mini.";
  if (typeof _def?.typeName === "string")
    return 'It is a schema of zod 3: wrap it in zod3() from "@pawl/core/zod3".';
  if (vendor === "valibot") return 'Wrap it in toStandardJsonSchema() from "@valibot/to-json-schema".';
  if (schema !== null && typeof schema === "object" && vendor === undefined) {
    return "It is a plain object: wrap it in z.object({ … }) of zod, from 4.2 on, or, if it is JSON Schema, in jsonSchema({ … }).";
  }
  return "Use zod from 4.2 on, another library with Standard JSON Schema, or jsonSchema({ … }) around a plain one.";
}

/** Replaces a reference at the root by its definition, because the API requires `type` at the root. */
function atRoot(schema: JsonObject): JsonObject {
  const { $ref, $defs, ...rest } = schema;
  const name =
    typeof $ref === "string" && isJsonObject($defs) ? $ref.match(/^#\/\$defs\/([\w.-]+)$/)?.[1] : undefined;
  const { [name ?? ""]: definition, ...others } = ($defs ?? {}) as JsonObject;
  if (!isJsonObject(definition)) return schema;
  const root = { ...definition, ...rest };
  // Another reference may lead to the same definition.
  const inUse = JSON.stringify([root, others]).includes(JSON.stringify({ $ref }).slice(1, -1));
  const keptDefinitions = inUse ? ($defs as JsonObject) : others;
  return Object.keys(keptDefinitions).length === 0 ? root : { ...root, $defs: keptDefinitions };
}

const config = (message: string): PawlError => new PawlError("config", message);
