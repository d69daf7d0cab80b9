import { type ApiError, invalid } from "../../base/api-error.ts";
import type { ModelLimits } from "../../base/model-limits.ts";
import { isObject, type ParsedRequest } from "../../base/wire-request.ts";
import { cacheControl } from "./cache-control.ts";
import {
  type Check,
  dictionary,
  firstError,
  flag,
  listOf,
  nullable,
  objectWith,
  oneOf,
  pattern,
  text,
} from "./checks.ts";
import { validatorOf } from "./json-schema.ts";
import { outputFormatOf } from "./output-format.ts";
import { checkStrictTools } from "./strict-tools.ts";

const customTool: Check = objectWith({
  required: { name: pattern(/^[a-zA-Z0-9_-]{1,128}$/), input_schema: dictionary },
  optional: {
    type: nullable(oneOf("custom")),
    description: text,
    cache_control: nullable(cacheControl),
    allowed_callers: listOf(text),
    defer_loading: flag,
    eager_input_streaming: nullable(flag),
    input_examples: listOf(dictionary),
    strict: flag,
  },
});

/**
 * Matches the type of a tool that runs on the API's side, which ends with a date, e.g. `web_search_20260318`.
 */
const serverTool = /_\d{8}$/;

/** Checks the tools and `tool_choice`. */
export function checkTools(request: ParsedRequest, limits: ModelLimits): ApiError | undefined {
  const tools = request.tools ?? [];
  return (
    firstError(tools, checkTool) ??
    checkNames(tools) ??
    checkStrictTools(tools, outputFormatOf(request)) ??
    checkDeferred(tools) ??
    checkChoice(request.tool_choice, tools, limits)
  );
}

function checkTool(tool: unknown, index: number): ApiError | undefined {
  const path = `tools.${index}`;
  if (!isObject(tool)) return dictionary(tool, path);
  if (typeof tool.type === "string" && serverTool.test(tool.type)) return undefined;
  return customTool(tool, `${path}.custom`) ?? checkSchema(tool, `${path}.custom`);
}

function checkSchema(tool: { [key: string]: unknown }, path: string): ApiError | undefined {
  const schema = tool.input_schema as { [key: string]: unknown };
  if (schema.type === undefined) return invalid(`${path}.input_schema.type: Field required`);
  if (schema.type !== "object") return invalid(`${path}.input_schema.type: Input should be 'object'`);
  const accepts = validatorOf(schema);
  if (accepts === undefined)
    return invalid(`${path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12.`);
  const examples = (tool.input_examples ?? []) as unknown[];
  // The wording of this error is a guess.
  return firstError(examples, (example, index) =>
    accepts(example)
      ? undefined
      : invalid(`${path}.input_examples.${index}: Input example does not match the input schema`),
  );
}

function checkNames(tools: readonly { [key: string]: unknown }[]): ApiError | undefined {
  return new Set(tools.map((tool) => tool.name)).size < tools.length
    ? invalid("tools: Tool names must be unique.")
    : undefined;
}

/**
 * Refuses requests whose tools are all deferred. The real API uses two wordings for this error; the simulator
 * uses one of them.
 */
function checkDeferred(tools: readonly { [key: string]: unknown }[]): ApiError | undefined {
  return tools.length > 0 && tools.every((tool) => tool.defer_loading === true)
    ? invalid("At least one tool must have defer_loading=false")
    : undefined;
}

/** Checks `tool_choice` against the request's tools. `forcedToolChoice`: whether the model can be forced. */
export function checkChoice(
  choice: ParsedRequest["tool_choice"],
  tools: readonly { name?: unknown }[],
  { forcedToolChoice }: Pick<ModelLimits, "forcedToolChoice">,
): ApiError | undefined {
  if (choice === undefined) return undefined;
  if (tools.length === 0) return invalid("tool_choice may only be specified while providing tools.");
  const forced = choice.type === "any" || choice.type === "tool";
  if (forced && !forcedToolChoice)
    return invalid('tool_choice: type "tool" and "any" are not supported for this model.');
  // The wording of this error is a guess.
  return choice.type === "tool" && !tools.some((tool) => tool.name === choice.name)
    ? invalid(`Tool '${choice.name}' not found in provided tools`)
    : undefined;
}
