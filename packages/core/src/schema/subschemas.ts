import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** Keywords whose value is a schema. */
const ONE = [
  "items",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "contentSchema",
  "not",
  "if",
  "then",
  "else",
];

/** Keywords whose value is a list of schemas. */
const LIST = ["prefixItems", "anyOf", "oneOf", "allOf"];

/** Keywords whose value is an object of schemas. */
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/**
 * Returns whether the value of a JSON Schema keyword is one schema, a list of schemas or an object of named
 * schemas. Returns `undefined` for a keyword without schemas.
 */
export function subschemaKind(keyword: string): "one" | "list" | "named" | undefined {
  if (ONE.includes(keyword)) return "one";
  if (LIST.includes(keyword)) return "list";
  return NAMED.includes(keyword) ? "named" : undefined;
}

/** Copies a schema. `change` makes the copy of each schema directly inside it; other values are shared. */
export function withSubschemas(schema: JsonObject, change: (schema: Json) => Json): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    const kind = subschemaKind(key);
    if (kind === "one") return [key, change(value)];
    if (kind === "list" && Array.isArray(value)) return [key, value.map(change)];
    if (kind === "named" && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]))];
    }
    return [key, value];
  });
  return Object.fromEntries(entries);
}

/** Returns the schemas directly inside a schema. */
export function directSubschemas(schema: JsonObject): Json[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    const kind = subschemaKind(key);
    if (kind === "one") return [value];
    return kind !== undefined && typeof value === "object" && value !== null ? Object.values(value) : [];
  });
}

/** Returns a schema and all schemas inside it that are objects. Each comes before those inside it. */
export function schemasIn(schema: Json): JsonObject[] {
  const found = isJsonObject(schema) ? [schema] : [];
  // The loop also visits the schemas that it adds.
  for (const part of found)
    for (const inner of directSubschemas(part)) if (isJsonObject(inner)) found.push(inner);
  return found;
}
