import { type ApiError, invalid } from "../../base/api-error.ts";
import { shown } from "../../base/shown.ts";
import { isObject } from "../../base/wire-request.ts";
import { firstError } from "./checks.ts";
import { FORMATS } from "./output-format.ts";

/** Keywords that strict schemas must not have. */
const REFUSED = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["maxItems", "uniqueItems", "minProperties", "maxProperties", "oneOf", "not", "if", "then", "else"],
  ...["patternProperties", "propertyNames", "prefixItems", "contains", "dependentSchemas"],
];

/**
 * Checks tools with `strict: true`, and the output format: both allow only a part of JSON Schema. The wording
 * of the errors is a guess, except for circular references and for too many unions.
 */
export function checkStrictTools(
  tools: readonly { [key: string]: unknown }[],
  format?: unknown,
): ApiError | undefined {
  const strict = tools.flatMap((tool, index) => (tool.strict === true ? [{ tool, index }] : []));
  if (strict.length > 20) return invalid(`tools: at most 20 tools may be strict. Found ${strict.length}.`);
  const schemas = strict.map(({ tool, index }) => ({
    path: `tools.${index}.custom.input_schema`,
    schema: tool.input_schema,
  }));
  if (format !== undefined) schemas.push({ path: "output_config.format.schema", schema: format });
  let optional = 0;
  let unions = 0;
  const error = firstError(schemas, ({ path, schema }) => {
    const problem = isObject(schema) ? problemIn(schema, schema) : "Input should be an object";
    if (problem !== undefined) return invalid(`${path}: ${problem}`);
    optional += optionalFields(schema);
    unions += unionsIn(schema);
    return undefined;
  });
  if (error !== undefined) return error;
  if (optional > 24)
    return invalid(
      `tools: strict tools may have at most 24 optional parameters in total. Found ${optional}.`,
    );
  return unions > 16 ? invalid("Schema is too complex for compilation.") : undefined;
}

function problemIn(schema: unknown, root: unknown, trail: readonly string[] = []): string | undefined {
  if (Array.isArray(schema))
    return schema.map((part) => problemIn(part, root, trail)).find((problem) => problem !== undefined);
  if (!isObject(schema)) return undefined;
  if (typeof schema.$ref === "string") {
    if (!schema.$ref.startsWith("#")) return `External reference not supported: ${schema.$ref}`;
    if (trail.includes(schema.$ref)) return "Circular reference detected";
    return problemIn(resolve(root, schema.$ref), root, [...trail, schema.$ref]);
  }
  if (schema.type === "object" && schema.additionalProperties !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  return (
    boundIn(schema) ??
    subschemas(schema)
      .map((part) => problemIn(part, root, trail))
      .find((problem) => problem !== undefined)
  );
}

function boundIn(schema: { [key: string]: unknown }): string | undefined {
  const { type, format, minItems, enum: values } = schema;
  const bound = REFUSED.find((keyword) => Object.hasOwn(schema, keyword));
  if (bound !== undefined) return `For '${shown(type)}' type, property '${bound}' is not supported`;
  if (format !== undefined && !FORMATS.includes(shown(format)))
    return `For 'string' type, format '${shown(format)}' is not supported`;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1)
    return "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
  const isComplex = Array.isArray(values) && values.some((value) => Object(value) === value);
  return isComplex ? "Enums of objects and arrays are not supported" : undefined;
}

/** Returns the schemas directly inside a schema. */
function subschemas(schema: { [key: string]: unknown }): unknown[] {
  return Object.entries(schema).flatMap(([keyword, part]) => {
    if (keyword === "properties" && isObject(part)) return Object.values(part);
    return ["items", "prefixItems", "anyOf", "oneOf", "allOf"].includes(keyword) ? [part] : [];
  });
}

function unionsIn(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, part) => sum + unionsIn(part), 0);
  if (!isObject(schema)) return 0;
  const own = Array.isArray(schema.type) || schema.anyOf !== undefined ? 1 : 0;
  return subschemas(schema).reduce<number>((sum, part) => sum + unionsIn(part), own);
}

function resolve(root: unknown, ref: string): unknown {
  return ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

function optionalFields(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, part) => sum + optionalFields(part), 0);
  if (!isObject(schema)) return 0;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = isObject(schema.properties)
    ? Object.keys(schema.properties).filter((field) => !required.includes(field)).length
    : 0;
  return subschemas(schema).reduce<number>((sum, part) => sum + optionalFields(part), own);
}
