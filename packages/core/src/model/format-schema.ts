import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** The part of JSON Schema that an API's output format can express. */
export interface FormatRules {
  /** The most levels of objects and arrays. */
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
 * Returns a schema in the form in which an API takes it as an output format or for a strict tool: with
 * `additionalProperties: false` in every object, with definitions in the place of each `$ref`, and with a
 * `type` beside each `enum` and `const`. Bounds, patterns and defaults move into the description, because the
 * APIs refuse them: only the agent's own schema checks them. Returns `undefined` for a schema whose shape
 * cannot be expressed, e.g. a recursive one, or an object with any keys. A schema that was returned is
 * returned unchanged.
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
  const count = ({ type, anyOf, enum: values }: JsonObject) => {
    if (Array.isArray(type) || anyOf !== undefined) counts.unions += 1;
    if (Array.isArray(values)) counts.values += values.length;
    if (counts.unions > rules.unions || counts.values > (rules.values ?? Infinity)) throw NOT_EXPRESSIBLE;
  };
  const form = (given: Json | undefined, level: number, trail: readonly Json[]): JsonObject => {
    if (!isJsonObject(given) || level > rules.levels) throw NOT_EXPRESSIBLE;
    const { $ref } = given;
    if ($ref !== undefined && trail.includes($ref)) throw NOT_EXPRESSIBLE;
    if ($ref !== undefined) return form(referred(schema, given), level, [...trail, $ref]);
    const own = withAnyOf(typed(withoutBounds(given, rules)));
    if (!isKnown(own)) throw NOT_EXPRESSIBLE;
    count(own);
    const { type, anyOf, items } = own;
    return {
      ...own,
      ...(anyOf !== undefined && { anyOf: listIn(anyOf).map((one) => form(one, level, trail)) }),
      ...(type === "array" && { items: form(items, level + 1, trail) }),
      ...(type === "object" && { properties: fieldsOf(own, level, trail), additionalProperties: false }),
    };
  };
  const fieldsOf = (own: JsonObject, level: number, trail: readonly Json[]) => {
    const { properties, required = [], additionalProperties } = own;
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    if (isOpen || (properties === undefined && additionalProperties !== false)) throw NOT_EXPRESSIBLE;
    const fields = new Map(Object.entries(isJsonObject(properties ?? {}) ? (properties ?? {}) : fail()));
    const needed = new Set(listIn(required));
    if ([...needed].some((name) => !fields.has(name as string))) throw NOT_EXPRESSIBLE;
    counts.fields += fields.size;
    counts.optional += fields.size - needed.size;
    if (counts.fields > rules.fields || counts.optional > rules.optional) throw NOT_EXPRESSIBLE;
    return Object.fromEntries([...fields].map(([name, part]) => [name, form(part, level + 1, trail)]));
  };
  try {
    return form(schema, 1, []);
  } catch (error) {
    if (error === NOT_EXPRESSIBLE) return undefined;
    throw error;
  }
}

const NOT_EXPRESSIBLE = new Error("not expressible");

function fail(): never {
  throw NOT_EXPRESSIBLE;
}

/** Returns the schema that a `$ref` leads to, with the keywords beside the `$ref`. */
function referred(root: JsonObject, { $ref, ...beside }: JsonObject): JsonObject {
  const [start, ...names] = typeof $ref === "string" ? $ref.split("/") : [];
  if (start !== "#") throw NOT_EXPRESSIBLE;
  const key = (name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~");
  const target = names.reduce<Json | undefined>(
    (at, name) => (isJsonObject(at) && Object.hasOwn(at, key(name)) ? at[key(name)] : undefined),
    root,
  );
  return isJsonObject(target) ? { ...target, ...beside } : fail();
}

/** Adds the type of the values of an `enum` or `const`, which some APIs require. */
function typed(schema: JsonObject): JsonObject {
  const { type, enum: values, const: value } = schema;
  const all = Array.isArray(values) ? values : value === undefined ? [] : [value];
  if (type !== undefined || all.length === 0) return schema;
  const types = [...new Set(all.map((one) => (one === null ? "null" : typeof one)))];
  return { type: types.length === 1 ? (types[0] ?? "") : types, ...schema };
}

function listIn(value: Json): Json[] {
  return Array.isArray(value) ? value : fail();
}

const ALLOWED: ReadonlySet<string> = new Set([
  ...["type", "description", "title", "enum", "const", "anyOf", "items", "format"],
  ...["properties", "required", "additionalProperties"],
]);

/** Keywords that limit a value or describe it, but not its shape. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties"],
  ...["maxProperties", "default", "examples", "contentEncoding", "contentMediaType"],
]);

/** Keywords that do not restrict the value and are removed. `$defs` are no longer needed without `$ref`. */
const NOTES: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$comment", "deprecated", "readOnly", "$defs", "definitions"],
]);

/** Moves the bounds of a schema into its description. */
function withoutBounds(schema: JsonObject, { formats = [] }: FormatRules): JsonObject {
  const known = Object.entries(schema).filter(
    ([keyword, value]) => !NOTES.has(keyword) && !isSafeBound(keyword, value),
  );
  const isKept = ([keyword, value]: [string, Json]) =>
    !BOUNDS.has(keyword) || (keyword === "format" && formats.includes(value as string));
  const kept: JsonObject = Object.fromEntries(known.filter(isKept));
  const bounds: JsonObject = Object.fromEntries(known.filter((entry) => !isKept(entry)));
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

const FORMAT_TYPES: ReadonlySet<Json | undefined> = new Set([
  ...["object", "array", "string", "integer", "number", "boolean", "null"],
]);

function withAnyOf({ oneOf, ...schema }: JsonObject): JsonObject {
  return oneOf === undefined ? schema : { anyOf: oneOf, ...schema };
}

/** Returns whether an API can express the schema itself, whatever the schemas inside it. */
function isKnown(schema: JsonObject): boolean {
  const { type, properties, required } = schema;
  if (Object.keys(schema).some((keyword) => !ALLOWED.has(keyword)) || !isKnownType(schema)) return false;
  return type === "object" || (properties === undefined && required === undefined);
}

function isKnownType({ type, anyOf, enum: values, const: value }: JsonObject): boolean {
  if ([value, ...(Array.isArray(values) ? values : [])].some((one) => Object(one) === one)) return false;
  if (type === undefined) return anyOf !== undefined || values !== undefined || value !== undefined;
  // A list of types cannot say what the items of an array are.
  if (Array.isArray(type))
    return type.every((one) => FORMAT_TYPES.has(one) && one !== "object" && one !== "array");
  return FORMAT_TYPES.has(type);
}
