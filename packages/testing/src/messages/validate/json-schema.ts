import { type Schema, Validator } from "@cfworker/json-schema";

const schema: Schema = { $ref: "#" };
const schemas: Schema = { type: "array", minItems: 1, items: schema };
const named: Schema = { type: "object", additionalProperties: schema };
const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const number: Schema = { type: "number" };
const count: Schema = { type: "integer", minimum: 0 };
const names: Schema = { type: "array", items: text, uniqueItems: true };
const list: Schema = { type: "array" };
const anchor: Schema = { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" };
const type: Schema = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/**
 * The meta-schema of draft 2020-12 in one piece: the official one consists of eight, which refer to each
 * other dynamically. Without formats.
 */
const META: Schema = {
  type: ["object", "boolean"],
  properties: {
    $id: { type: "string", pattern: "^[^#]*#?$" },
    $schema: text,
    $ref: text,
    $anchor: anchor,
    $dynamicRef: text,
    $dynamicAnchor: anchor,
    $recursiveRef: text,
    $recursiveAnchor: anchor,
    $vocabulary: { type: "object", additionalProperties: flag },
    $comment: text,
    $defs: named,
    definitions: named,
    dependencies: { type: "object", additionalProperties: { anyOf: [schema, names] } },
    prefixItems: schemas,
    items: schema,
    contains: schema,
    additionalProperties: schema,
    properties: named,
    patternProperties: named,
    dependentSchemas: named,
    propertyNames: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
    else: schema,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
    unevaluatedItems: schema,
    unevaluatedProperties: schema,
    type: { anyOf: [type, { type: "array", items: type, minItems: 1, uniqueItems: true }] },
    enum: list,
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    maximum: number,
    exclusiveMaximum: number,
    minimum: number,
    exclusiveMinimum: number,
    maxLength: count,
    minLength: count,
    pattern: text,
    maxItems: count,
    minItems: count,
    uniqueItems: flag,
    maxContains: count,
    minContains: count,
    maxProperties: count,
    minProperties: count,
    required: names,
    dependentRequired: { type: "object", additionalProperties: names },
    title: text,
    description: text,
    deprecated: flag,
    readOnly: flag,
    writeOnly: flag,
    examples: list,
    contentEncoding: text,
    contentMediaType: text,
    contentSchema: schema,
    format: text,
  },
};

/** Returns whether a value is valid. */
export type Accepts = (value: unknown) => boolean;

const isSchema = accepting(META);
/** Validators by the text of their schema, because every request sends the same tools again. */
const known = new Map<string, Accepts | undefined>();

/** Returns a validator for values of a schema, or `undefined` if the schema is not valid in draft 2020-12. */
export function validatorOf(own: { [key: string]: unknown }): Accepts | undefined {
  const key = JSON.stringify(own);
  if (known.has(key)) return known.get(key);
  // Many generators declare another draft of JSON Schema. It only matters that the schema is valid in
  // 2020-12.
  const { $schema: _, ...rest } = own;
  const accepts = isSchema(rest) ? accepting(rest) : undefined;
  if (known.size > 5_000) known.clear();
  known.set(key, accepts);
  return accepts;
}

// An interpreter, because code generation is forbidden in Workers.
function accepting(own: Schema): Accepts {
  let validator: Validator | undefined;
  return (value) => {
    // The validator adds fields to each part of the schema that it gets.
    validator ??= new Validator(JSON.parse(JSON.stringify(own)) as Schema, "2020-12");
    return validator.validate(value).valid;
  };
}
