import type { ApiError } from "../base/api-error.ts";
import { shown } from "../base/shown.ts";
import { isObject } from "../base/wire-request.ts";
import { type Check, firstError } from "../messages/validate/checks.ts";
import { dictionary, flag, nullable, objectWith, oneOf, text, upTo, wrongType } from "./chat-checks.ts";
import { refused } from "./chat-error.ts";
import type { ChatRequest } from "./chat-request.ts";

const name = upTo(64, /^[a-zA-Z0-9_-]+$/);

export const chatTool: Check = objectWith({
  type: oneOf("function"),
  function: objectWith({ name }, { description: text, parameters: dictionary, strict: nullable(flag) }),
});

const named = objectWith({ type: oneOf("function"), function: objectWith({ name: text }) });

export const toolChoice: Check = (value, path) => {
  if (typeof value === "string") return oneOf("none", "auto", "required")(value, path);
  return isObject(value) ? named(value, path) : wrongType("one of a string or object", value, path);
};

/** Checks the tools, and that a tool named in `tool_choice` is among them. */
export function checkTools({ tools = [], tool_choice: choice }: ChatRequest): ApiError | undefined {
  const names = tools.map((tool) => tool.function.name);
  const chosen = isObject(choice) ? (choice.function as { name?: string }).name : undefined;
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  return (
    firstError(tools, ({ function: { name: own, parameters, strict } }, index) =>
      parameters === undefined
        ? undefined
        : checkSchema(own, parameters, `tools[${index}].function.parameters`, strict === true),
    ) ??
    // The wording of both errors is a guess.
    (twice === undefined ? undefined : refused(`Tool names must be unique: '${twice}'.`, "tools")) ??
    (chosen === undefined || names.includes(chosen)
      ? undefined
      : refused(`Tool choice '${chosen}' not found in 'tools' parameter.`, "tool_choice"))
  );
}

function checkSchema(
  own: string,
  schema: { [key: string]: unknown },
  param: string,
  strict: boolean,
): ApiError | undefined {
  const wrong = (what: string): ApiError =>
    refused(`Invalid schema for function '${own}': ${what}`, param, "invalid_function_parameters");
  if (schema.type !== "object")
    return wrong(
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${shown(schema.type ?? "None")}"'.`,
    );
  if (["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => Object.hasOwn(schema, key)))
    return wrong(
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    );
  const problem = problemIn(schema, [], strict);
  return problem === undefined ? undefined : wrong(problem);
}

/** Returns the first problem in a schema or in a schema inside it. */
export function problemIn(schema: unknown, path: readonly string[], strict: boolean): string | undefined {
  if (!isObject(schema)) return undefined;
  const { type, properties, items } = schema;
  const where = `In context=(${path.map((key) => `'${key}'`).join(", ")}${path.length === 1 ? "," : ""}), `;
  if (type === "array" && items === undefined) return `${where}array schema missing items.`;
  if (type === "object" && path.length === 0 && properties === undefined)
    return `${where}object schema missing properties.`;
  if (strict && type === "object" && schema.additionalProperties !== false)
    return `${where}'additionalProperties' is required to be supplied and to be false.`;
  const inner = isObject(properties) ? Object.entries(properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const optional = inner.find(([key]) => !required.includes(key));
  if (strict && optional !== undefined)
    return `${where}'required' is required to be supplied and to be an array including every key in properties. Missing '${optional[0]}'.`;
  for (const [key, part] of inner) {
    const problem = problemIn(part, [...path, "properties", key], strict);
    if (problem !== undefined) return problem;
  }
  return problemIn(items, [...path, "items"], strict) ?? (strict ? problemInUnion(schema, path) : undefined);
}

function problemInUnion({ anyOf }: { [key: string]: unknown }, path: readonly string[]): string | undefined {
  const parts = Array.isArray(anyOf) ? anyOf : [];
  return parts
    .map((part, at) => problemIn(part, [...path, "anyOf", `${at}`], true))
    .find((problem) => problem !== undefined);
}
