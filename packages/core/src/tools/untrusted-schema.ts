import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { jsonSchema } from "./json-schema.ts";
import type { Schema } from "./schema.ts";
import { withSubschemas } from "./subschemas.ts";

/**
 * Makes a schema from JSON Schema of another server, like `jsonSchema()`. It describes itself with all
 * keywords, but validates without regular expressions: one can take forever for some text, and the server
 * checks them itself. They are in `pattern` and `patternProperties`. Beside the latter, unknown properties
 * are accepted.
 *
 * @throws PawlError `config` if the schema is not an object. `tool()` finds other mistakes in the schema.
 *
 * @example
 * ```ts
 * import { validate } from "@pawl/core";
 * import { untrustedSchema } from "@pawl/core/tools";
 *
 * const at = { type: "string", pattern: "^(a+)+$", maxLength: 100 };
 * const schema = untrustedSchema({ type: "object", properties: { at } });
 * console.log((await validate(schema, { at: `${"a".repeat(50)}!` })).ok); // true
 * console.log((await validate(schema, { at: 5 })).ok); // false
 * ```
 */
export function untrustedSchema(schema: JsonObject): Schema<JsonObject> {
  const { jsonSchema: described } = jsonSchema(schema)["~standard"];
  const { validate } = jsonSchema<JsonObject>(withoutPatterns(schema) as JsonObject)["~standard"];
  return { "~standard": { version: 1, vendor: "pawl", validate, jsonSchema: described } };
}

/** What depends on which properties have matched a pattern. */
const REST: readonly string[] = ["additionalProperties", "unevaluatedProperties"];

function withoutPatterns(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const names = Object.hasOwn(schema, "patternProperties") ? ["patternProperties", ...REST] : [];
  const kept = Object.entries(schema).filter(([key]) => key !== "pattern" && !names.includes(key));
  return withSubschemas(Object.fromEntries(kept), withoutPatterns);
}
