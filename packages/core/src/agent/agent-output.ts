import { kindOf } from "../base/check-options.ts";
import type { JsonObject } from "../base/json.ts";
import { FINAL_ANSWER } from "../log/final-answer.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { Schema } from "../schema/schema.ts";
import { schemasIn } from "../schema/subschemas.ts";
import { outputTool } from "../tools/output-tool.ts";
import type { AgentOutput } from "./agent.ts";
import { agentError } from "./check-tools.ts";

const OUTPUT_DESCRIPTION =
  "Gives your final answer. Call it once, alone, when you have all that you need. Nobody reads what you write outside of it.";

/** The longest JSON Schema that is sent with every request, in characters. */
const LONGEST = 100_000;

/**
 * Decides how an agent's runs give their output. A model whose API can express the schema gets the schema as
 * an output format. Any other model gets a tool, and so does the model of a `toolOnly` agent.
 *
 * @throws PawlError `config` if the schema cannot be used.
 */
export function agentOutput(
  name: string,
  schema: unknown,
  { model, toolOnly }: { model: ModelClient; toolOnly: boolean },
): AgentOutput {
  if (typeof Object(Object(schema)["~standard"]).validate !== "function")
    throw agentError(
      name,
      `\`output\` must be a schema, e.g. z.object({ … }) of zod, or jsonSchema({ … }); got ${kindOf(schema)}.`,
    );
  const outputSchema = schema as Schema;
  const { spec, isWrapped, whole } = outputTool(
    outputSchema,
    FINAL_ANSWER,
    OUTPUT_DESCRIPTION,
    `\`output\` of agent("${name}")`,
  );
  const size = JSON.stringify(whole).length;
  if (size > LONGEST)
    throw agentError(
      name,
      `the JSON Schema of \`output\` has ${size} characters, and every request sends it. At most ${LONGEST} are allowed.`,
    );
  const unknown = unknownKeyword(outputSchema, whole);
  if (unknown !== undefined)
    throw agentError(name, `the JSON Schema of \`output\` has the unknown keyword ${unknown}.`);
  const format = toolOnly ? undefined : model.outputFormat?.(whole);
  return { "~standard": outputSchema["~standard"], spec, isWrapped, ...(format !== undefined && { format }) };
}

/** All keywords that JSON Schema defines. */
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
 * Returns the first unknown keyword of a schema that `jsonSchema()` made, e.g. a misspelled one, in quotes.
 * Returns `undefined` without one. Keywords that begin with `x-` are allowed, and so are all keywords
 * that another schema library writes.
 */
export function unknownKeyword(schema: Schema, json: JsonObject): string | undefined {
  if (schema["~standard"].vendor !== "pawl") return undefined;
  for (const part of schemasIn(json)) {
    const unknown = Object.keys(part).find((key) => !KEYWORDS.has(key) && !key.startsWith("x-"));
    if (unknown !== undefined) return JSON.stringify(unknown);
  }
  return undefined;
}
