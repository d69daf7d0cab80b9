import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** The most levels, union types and fields of a strict schema. Fewer than each API allows. */
const MOST = { levels: 5, unions: 10, fields: 100 };

/** Keywords of JSON Schema that the Messages API and Chat Completions both allow in strict tools. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...["type", "description", "title", "enum", "const", "anyOf", "items"],
  ...["properties", "required", "additionalProperties"],
]);

const STRICT_TYPES: ReadonlySet<Json | undefined> = new Set([
  ...["object", "array", "string", "integer", "number", "boolean", "null"],
]);

/**
 * Returns a schema in the form that strict tools require, with `additionalProperties: false` in every object.
 * Returns `undefined` if a part is not allowed there: models then get the schema as it is, and their output
 * is only validated afterwards.
 */
export function strictSchema(schema: JsonObject): JsonObject | undefined {
  const counts = { unions: 0, fields: 0 };
  const strict = (part: Json | undefined, level: number): JsonObject => {
    if (!isJsonObject(part) || level > MOST.levels) throw NOT_STRICT;
    const own = withoutSafeBounds(part);
    if (Object.keys(own).some((keyword) => !ALLOWED.has(keyword))) throw NOT_STRICT;
    const { type, anyOf, items } = own;
    if (Array.isArray(type) || anyOf !== undefined) counts.unions += 1;
    if (counts.unions > MOST.unions || !isKnownType(own)) throw NOT_STRICT;
    if (type !== "object" && own.properties !== undefined) throw NOT_STRICT;
    return {
      ...own,
      ...(anyOf !== undefined && { anyOf: alternativesOf(anyOf).map((one) => strict(one, level)) }),
      ...(type === "array" && { items: strict(items, level + 1) }),
      ...(type === "object" && { properties: fieldsOf(own, level), additionalProperties: false }),
    };
  };
  const fieldsOf = ({ properties = {}, required, additionalProperties }: JsonObject, level: number) => {
    const fields = Object.entries(isJsonObject(properties) ? properties : fail());
    counts.fields += fields.length;
    const needed = Array.isArray(required) ? required : [];
    // Chat Completions requires every field.
    if (fields.some(([name]) => !needed.includes(name)) || counts.fields > MOST.fields) throw NOT_STRICT;
    if (additionalProperties !== undefined && additionalProperties !== false) throw NOT_STRICT;
    return Object.fromEntries(fields.map(([name, part]) => [name, strict(part, level + 1)]));
  };
  try {
    return strict(schema, 1);
  } catch (error) {
    if (error === NOT_STRICT) return undefined;
    throw error;
  }
}

const NOT_STRICT = new Error("not strict");

function fail(): never {
  throw NOT_STRICT;
}

function alternativesOf(value: Json): Json[] {
  return Array.isArray(value) ? value : fail();
}

function isKnownType({ type, anyOf, enum: values, const: value }: JsonObject): boolean {
  if (type === undefined) return anyOf !== undefined || values !== undefined || value !== undefined;
  // A list of types cannot say what the items of an array are.
  if (Array.isArray(type))
    return type.every((one) => STRICT_TYPES.has(one) && one !== "object" && one !== "array");
  return STRICT_TYPES.has(type);
}

/** Removes the bounds that zod gives every integer, because no model writes larger ones. */
function withoutSafeBounds({ minimum, maximum, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}
