import type { JsonObject } from "../base/json.ts";
import type { Schema } from "./schema.ts";
import { schemasIn } from "./subschemas.ts";

const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "title", "description", "default", "examples", "deprecated", "readOnly"],
  ...["writeOnly", "properties", "required", "additionalProperties", "patternProperties", "propertyNames"],
  ...["minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "items"],
  ...["prefixItems", "additionalItems", "contains", "minContains", "maxContains", "minItems", "maxItems"],
  ...["uniqueItems", "unevaluatedItems", "unevaluatedProperties", "minLength", "maxLength", "pattern"],
  ...["format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "anyOf"],
  ...["oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs", "definitions", "$id", "id"],
  ...["$schema", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment", "$vocabulary"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
]);

/**
 * Returns a keyword that JSON Schema does not define, e.g. a misspelled one, of a schema by `jsonSchema()`.
 * Keywords that begin with `x-` are allowed, and so are all keywords that a schema library writes.
 */
export function unknownKeyword(schema: Schema, json: JsonObject): string | undefined {
  if (schema["~standard"].vendor !== "pawl") return undefined;
  for (const part of schemasIn(json)) {
    const unknown = Object.keys(part).find((key) => !KEYWORDS.has(key) && !key.startsWith("x-"));
    if (unknown !== undefined) return JSON.stringify(unknown);
  }
  return undefined;
}
