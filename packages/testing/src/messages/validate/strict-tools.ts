import { type ApiError, invalid } from "../../base/api-error.ts";
import { isObject } from "../../base/wire-request.ts";
import { firstError } from "./checks.ts";

const numeric = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/**
 * Checks tools with `strict: true`, which allow only a part of JSON Schema. The wording of the errors is a
 * guess, except for circular references.
 */
export function checkStrictTools(tools: readonly { [key: string]: unknown }[]): ApiError | undefined {
  const strict = tools.flatMap((tool, index) => (tool.strict === true ? [{ tool, index }] : []));
  if (strict.length > 20) return invalid(`tools: at most 20 tools may be strict. Found ${strict.length}.`);
  let optional = 0;
  const error = firstError(strict, ({ tool, index }) => {
    const path = `tools.${index}.custom.input_schema`;
    const problem = problemIn(tool.input_schema, tool.input_schema);
    if (problem !== undefined) return invalid(`${path}: ${problem}`);
    optional += optionalFields(tool.input_schema);
    return undefined;
  });
  if (error !== undefined) return error;
  return optional > 24
    ? invalid(`tools: strict tools may have at most 24 optional parameters in total. Found ${optional}.`)
    : undefined;
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
  const bound = numeric.find(
    (keyword) => Object.hasOwn(schema, keyword) && typeof schema[keyword] === "number",
  );
  if (bound !== undefined) return `For '${schema.type}' type, property '${bound}' is not supported`;
  return Object.entries(schema)
    .filter(([keyword]) => keyword !== "$defs" && keyword !== "definitions")
    .flatMap(([keyword, part]) =>
      keyword === "properties" && isObject(part)
        ? Object.values(part)
        : isSchemaKeyword(keyword)
          ? [part]
          : [],
    )
    .map((part) => problemIn(part, root, trail))
    .find((problem) => problem !== undefined);
}

function isSchemaKeyword(keyword: string): boolean {
  return ["items", "prefixItems", "anyOf", "oneOf", "allOf"].includes(keyword);
}

function resolve(root: unknown, ref: string): unknown {
  return ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

function optionalFields(schema: unknown): number {
  if (!isObject(schema) || !isObject(schema.properties)) return 0;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).reduce(
    (sum, [field, part]) => sum + (required.includes(field) ? 0 : 1) + optionalFields(part),
    0,
  );
}
