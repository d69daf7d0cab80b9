import type { Json } from "../base/json.ts";
import type { Schema } from "./schema.ts";

/** Accepts every value, e.g. as the result of a page's tool without an `output`. */
export const anyJson: Schema<Json> = {
  "~standard": {
    version: 1,
    vendor: "pawl",
    validate: (value) => ({ value: value as Json }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
};
