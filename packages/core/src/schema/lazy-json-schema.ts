import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Schema } from "./schema.ts";

// Holds the module and not its promise, so that later validations do not wait, and a failed import is tried
// again.
let loaded: typeof import("./json-schema.ts") | undefined;

/**
 * Makes a schema like `jsonSchema()`, but loads the JSON Schema validator when the first value is validated.
 * So bundlers can keep it in a chunk of its own. An invalid schema is refused at that moment, with the error
 * of
 * `jsonSchema()`. A value that takes more than `steps` to validate is invalid.
 */
export function lazyJsonSchema<Output = unknown>(
  schema: JsonObject,
  steps: number = Number.POSITIVE_INFINITY,
): Schema<Output> {
  const acceptsAll = isJsonObject(schema) && Object.keys(schema).length === 0;
  let full: Schema<Output> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "pawl",
      validate: async (value) => {
        if (acceptsAll) return { value: value as Output };
        loaded ??= await import("./json-schema.ts");
        full ??= loaded.schemaJudgedBy<Output>(schema, loaded.checkedJudge(schema), steps);
        return await full["~standard"].validate(value);
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
