import type { JsonObject } from "../base/json.ts";
import type { ToolSpec } from "../model/content.ts";
import { formatSchema } from "../model/format-schema.ts";
import type { Schema } from "../schema/schema.ts";
import { schemasIn } from "../schema/subschemas.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";

/** The tool by which a model gives structured output. */
export interface OutputTool {
  readonly spec: ToolSpec;
  /** Whether the output is in the field `value`, because a tool's input must be an object. */
  readonly isWrapped: boolean;
  /** The JSON Schema of the output, or of an object with the output in its field `value`. */
  readonly whole: JsonObject;
}

/** The schemas that the strict tools of all APIs can express. Chat Completions allows no optional fields. */
const STRICT_TOOLS = { levels: 5, fields: 100, optional: 0, unions: 10, values: 250 };

/**
 * Makes the output tool for a schema. The tool is strict if the strict tools of all APIs can express the
 * schema.
 *
 * @param whose the schema's option, for errors, e.g. `` `schema` of askModel() ``
 */
export function outputTool(schema: Schema, name: string, description: string, whose: string): OutputTool {
  const own = toJsonSchema(schema, whose);
  const isWrapped = own.type !== "object" || ROOT.some((keyword) => Object.hasOwn(own, keyword));
  const whole = isWrapped ? wrapped(own) : own;
  const strict = formatSchema(whole, STRICT_TOOLS);
  const spec = { name, description, ...(strict && { strict: true }), input_schema: strict ?? whole };
  return { spec, isWrapped, whole };
}

/** Keywords that Chat Completions refuses at the root of a tool's schema. */
const ROOT: readonly string[] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/** Returns the schema of an object with the output in `value`. References in the schema are adapted. */
function wrapped(schema: JsonObject): JsonObject {
  const value = structuredClone(schema);
  for (const part of schemasIn(value)) {
    const { $ref } = part;
    if (typeof $ref === "string" && /^#(\/|$)/.test($ref)) part.$ref = `#/properties/value${$ref.slice(1)}`;
  }
  return { type: "object", properties: { value }, required: ["value"] };
}
