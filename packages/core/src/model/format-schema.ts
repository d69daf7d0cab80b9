import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** The part of JSON Schema that an API's output format can express. */
export interface FormatRules {
  /** The most levels of nested objects and arrays. */
  levels: number;
  /** The most fields of all objects together. */
  fields: number;
  /** The most fields that are not required. */
  optional: number;
  /** The most union types (`anyOf` and lists of types). */
  unions: number;
  /** The values of `format` that strings may have. Default: none. */
  formats?: readonly string[];
  /** The most values of all enums together. Default: no limit. */
  values?: number;
}

/**
 * Converts a schema to the form that an API accepts as an output format or for a strict tool. Returns
 * `undefined` if the API cannot express its shape, e.g. a recursive schema, or an object with any keys.
 * Converting a converted schema changes nothing.
 *
 * - Every object gets `additionalProperties: false`.
 * - Each `$ref` is replaced by its definition.
 * - An `enum` or `const` without a `type` gets one.
 * - Bounds, patterns and defaults move into the description, because the APIs refuse them. Only the agent's
 *   own schema checks them.
 *
 * @example
 * ```ts
 * import { formatSchema } from "@pawl/core/model";
 *
 * const rules = { levels: 5, fields: 100, optional: 24, unions: 16 };
 * const stars = { type: "integer", minimum: 1, maximum: 5 };
 * console.log(formatSchema({ type: "object", properties: { stars } }, rules)?.properties);
 * // { stars: { type: 'integer', description: '{"minimum":1,"maximum":5}' } }
 * console.log(formatSchema({ type: "object", additionalProperties: stars }, rules)); // undefined
 * ```
 */
export function formatSchema(schema: JsonObject, rules: FormatRules): JsonObject | undefined {
  const counts = { unions: 0, fields: 0, optional: 0, values: 0 };
  const countUnionsAndValues = ({ type, anyOf, enum: values }: JsonObject) => {
    if (Array.isArray(type) || anyOf !== undefined) counts.unions += 1;
    if (Array.isArray(values)) counts.values += values.length;
    if (counts.unions > rules.unions || counts.values > (rules.values ?? Infinity)) throw NOT_EXPRESSIBLE;
  };
  /** Converts a part of the schema. `followed` are the `$ref`s that led to it. */
  const convert = (part: Json | undefined, level: number, followed: readonly Json[]): JsonObject => {
    if (!isJsonObject(part) || level > rules.levels) throw NOT_EXPRESSIBLE;
    const { $ref } = part;
    if ($ref !== undefined && followed.includes($ref)) throw NOT_EXPRESSIBLE;
    if ($ref !== undefined) return convert(definitionBehind(schema, part), level, [...followed, $ref]);
    const plain = withAnyOf(withType(withoutBounds(part, rules)));
    if (!isExpressible(plain)) throw NOT_EXPRESSIBLE;
    countUnionsAndValues(plain);
    const { type, anyOf, items } = plain;
    return {
      ...plain,
      ...(anyOf !== undefined && { anyOf: requireList(anyOf).map((one) => convert(one, level, followed)) }),
      ...(type === "array" && { items: convert(items, level + 1, followed) }),
      ...(type === "object" && {
        properties: convertedFields(plain, level, followed),
        additionalProperties: false,
      }),
    };
  };
  const convertedFields = (object: JsonObject, level: number, followed: readonly Json[]) => {
    const { properties, required = [], additionalProperties } = object;
    // An object may have any keys if it allows further ones, or names none.
    const mayHaveAnyKeys =
      additionalProperties !== false && (additionalProperties !== undefined || properties === undefined);
    const listed = properties ?? {};
    if (mayHaveAnyKeys || !isJsonObject(listed)) throw NOT_EXPRESSIBLE;
    const fields = new Map(Object.entries(listed));
    const requiredNames = new Set(requireList(required));
    if ([...requiredNames].some((name) => !fields.has(name as string))) throw NOT_EXPRESSIBLE;
    counts.fields += fields.size;
    counts.optional += fields.size - requiredNames.size;
    if (counts.fields > rules.fields || counts.optional > rules.optional) throw NOT_EXPRESSIBLE;
    return Object.fromEntries(
      [...fields].map(([name, field]) => [name, convert(field, level + 1, followed)]),
    );
  };
  try {
    return convert(schema, 1, []);
  } catch (error) {
    if (error === NOT_EXPRESSIBLE) return undefined;
    throw error;
  }
}

/** Thrown for a schema that the API cannot express. Only `formatSchema()` catches it. */
const NOT_EXPRESSIBLE = new Error("not expressible");

/** Returns the schema that a `$ref` leads to, with the keywords beside the `$ref`. */
function definitionBehind(root: JsonObject, { $ref, ...beside }: JsonObject): JsonObject {
  const [start, ...names] = typeof $ref === "string" ? $ref.split("/") : [];
  if (start !== "#") throw NOT_EXPRESSIBLE;
  let target: Json | undefined = root;
  for (const name of names) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  if (!isJsonObject(target)) throw NOT_EXPRESSIBLE;
  return { ...target, ...beside };
}

/** Adds a `type` to a schema with `enum` or `const`, because some APIs require it. */
function withType(schema: JsonObject): JsonObject {
  const { type, enum: values, const: value } = schema;
  const constants = value === undefined ? [] : [value];
  const allowed = Array.isArray(values) ? values : constants;
  if (type !== undefined || allowed.length === 0) return schema;
  const types = [...new Set(allowed.map((one) => (one === null ? "null" : typeof one)))];
  return { type: types.length === 1 ? (types[0] ?? "") : types, ...schema };
}

function requireList(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  throw NOT_EXPRESSIBLE;
}

/** The keywords that a converted schema may have. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...["type", "description", "title", "enum", "const", "anyOf", "items", "format"],
  ...["properties", "required", "additionalProperties"],
]);

/** Keywords that do not affect the shape of a value. They move into the description. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties"],
  ...["maxProperties", "default", "examples", "contentEncoding", "contentMediaType"],
]);

/** Keywords that do not restrict the value. They are removed, and so are definitions: no `$ref` is left. */
const NOTES: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$comment", "deprecated", "readOnly", "$defs", "definitions"],
]);

/** Moves the bounds of a schema into its description. */
function withoutBounds(schema: JsonObject, { formats = [] }: FormatRules): JsonObject {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => !NOTES.has(keyword) && !isSafeBound(keyword, value),
  );
  const isKept = ([keyword, value]: [string, Json]) =>
    !BOUNDS.has(keyword) || (keyword === "format" && formats.includes(value as string));
  const kept: JsonObject = Object.fromEntries(entries.filter(isKept));
  const bounds: JsonObject = Object.fromEntries(entries.filter((entry) => !isKept(entry)));
  if (Object.keys(bounds).length === 0) return kept;
  const { description } = kept;
  const before = typeof description === "string" && description !== "" ? `${description}\n` : "";
  return { ...kept, description: before + JSON.stringify(bounds) };
}

/** Returns whether this is a bound that zod adds to every integer. Such bounds tell the model nothing. */
function isSafeBound(keyword: string, value: Json): boolean {
  if (keyword === "minimum") return value === Number.MIN_SAFE_INTEGER;
  return keyword === "maximum" && value === Number.MAX_SAFE_INTEGER;
}

/** The values of `type` that the APIs accept. */
const FORMAT_TYPES: ReadonlySet<Json | undefined> = new Set([
  ...["object", "array", "string", "integer", "number", "boolean", "null"],
]);

/** Replaces `oneOf` by `anyOf`, or removes it if the schema has both. The APIs refuse `oneOf`. */
function withAnyOf({ oneOf, ...schema }: JsonObject): JsonObject {
  return oneOf === undefined ? schema : { anyOf: oneOf, ...schema };
}

/** Returns whether an API can express the schema's own keywords. Does not look at the schemas inside it. */
function isExpressible(schema: JsonObject): boolean {
  const { type, properties, required } = schema;
  if (Object.keys(schema).some((keyword) => !ALLOWED.has(keyword)) || !hasSimpleType(schema)) return false;
  // Only an object has fields.
  return type === "object" || (properties === undefined && required === undefined);
}

function hasSimpleType({ type, anyOf, enum: values, const: value }: JsonObject): boolean {
  // The values of `enum` and `const` must not be objects or arrays.
  if ([value, ...(Array.isArray(values) ? values : [])].some((one) => Object(one) === one)) return false;
  if (type === undefined) return anyOf !== undefined || values !== undefined || value !== undefined;
  // In a list of types, an object or an array could not have its own `properties` or `items`.
  if (Array.isArray(type))
    return type.every((one) => FORMAT_TYPES.has(one) && one !== "object" && one !== "array");
  return FORMAT_TYPES.has(type);
}
