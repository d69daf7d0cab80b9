import { type JsonObject, messageOf, type Tool, type ToolContext, toJson, tool } from "@pawl/core";
import {
  excessOf,
  type JsonBounds,
  plainJsonSchema,
  type ToolSource,
  untrustedSchema,
  withoutHidden,
} from "@pawl/core/tools";
import type { ToolDefinition } from "../wire/definition.ts";
import { RemoteFailure } from "./remote-failure.ts";
import type { RemoteToolsOptions } from "./remote-options.ts";

/** Calls the tool of a definition. */
export type CallDefined = (
  definition: ToolDefinition,
  input: unknown,
  context: ToolContext<never>,
) => unknown;

/** What the tools of a server are made with. */
export interface ToolMaking {
  call: CallDefined;
  source: ToolSource;
}

/**
 * Makes tools of what a server lists. Nothing in it is trusted: names, schemas and all else are checked, and
 * unknown fields are ignored.
 *
 * @throws RemoteFailure that names the tool
 */
export function toolsFrom(
  body: unknown,
  { include, prefix = "", maxTools = 128 }: Pick<RemoteToolsOptions, "include" | "prefix" | "maxTools">,
  making: ToolMaking,
): { tools: Tool<never>[]; missing: string[] } {
  const { tools: listed } = Object(body) as { tools?: unknown };
  if (!Array.isArray(listed)) throw badList("it must be a JSON object with a list `tools`");
  const named = listed.map((one, index) => ({ one, name: nameOf(one, index) }));
  const wanted = named.filter(({ name }) => include?.includes(name) ?? true);
  if (wanted.length > maxTools)
    throw badList(
      `it has ${wanted.length} tools, and at most ${maxTools} are used. Choose some with \`include\``,
    );
  const names = new Set(wanted.map(({ name }) => name));
  const twin = wanted.find(({ name }) => !names.delete(name));
  if (twin !== undefined) throw badList(`it has two tools named ${quoted(twin.name)}`);
  return {
    tools: wanted.map(({ one, name }) => toolFrom(one as Partial<ToolDefinition>, name, prefix, making)),
    missing: (include ?? []).filter((name) => !named.some((other) => other.name === name)),
  };
}

function nameOf(one: unknown, index: number): string {
  const { name } = Object(one) as { name?: unknown };
  if (typeof name === "string") return name;
  throw badList(`its tool number ${index + 1} has no name`);
}

function toolFrom(
  given: Partial<ToolDefinition>,
  name: string,
  prefix: string,
  { call, source }: ToolMaking,
): Tool<never> {
  try {
    const definition = checked(given, name);
    const { description, input_schema, idempotent = false, repeatable, status } = definition;
    const { max_result_chars: maxResultChars, depends_on = [], ends_run: endsRun = false } = definition;
    const made = tool({
      name: prefix + name,
      description,
      input: untrustedSchema(input_schema),
      idempotent,
      ...(repeatable !== undefined && { repeatable }),
      endsRun,
      dependsOn: depends_on.map((other) => prefix + other),
      ...(maxResultChars !== undefined && { maxResultChars }),
      ...(status !== undefined && { status }),
      execute: (input: unknown, context: ToolContext<never>) => call(definition, input, context),
    });
    return { ...made, source };
  } catch (cause) {
    throw badList(`its tool ${quoted(name)} cannot be used: ${messageOf(cause).replace(/\.$/, "")}`);
  }
}

function checked(given: Partial<ToolDefinition>, name: string): ToolDefinition {
  const { description = "", input_schema, idempotent, repeatable, timeout_ms, status } = given;
  const { max_result_chars, depends_on, ends_run } = given;
  if (!isText(description, MOST_DESCRIPTION_CHARS))
    throw new TypeError(`\`description\` must be a string of up to ${MOST_DESCRIPTION_CHARS} characters`);
  if (typeof input_schema !== "object" || input_schema === null || Array.isArray(input_schema))
    throw new TypeError("`input_schema` must be a JSON Schema, an object");
  if (excessOf(input_schema, SCHEMA_BOUNDS) !== undefined)
    throw new TypeError(`\`input_schema\` may have at most ${SCHEMA_BOUNDS.values} values`);
  if (timeout_ms !== undefined && !isUpTo(timeout_ms, 1, LONGEST_MS))
    throw new TypeError(`\`timeout_ms\` must be a number from 1 to ${LONGEST_MS}`);
  if (max_result_chars !== undefined && !isUpTo(max_result_chars, 1, Number.MAX_SAFE_INTEGER))
    throw new TypeError("`max_result_chars` must be a number from 1");
  if (
    depends_on !== undefined &&
    !(Array.isArray(depends_on) && depends_on.every((name) => isText(name, 64)))
  )
    throw new TypeError("`depends_on` must be a list of the tools' names");
  if (ends_run !== undefined && !ENDS.includes(ends_run))
    throw new TypeError(`\`ends_run\` must be one of ${ENDS.join(", ")}`);
  return {
    name,
    description: withoutHidden(description),
    input_schema: plainJsonSchema(toJson(input_schema) as JsonObject),
    ...flag("idempotent", idempotent),
    ...flag("repeatable", repeatable),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(max_result_chars !== undefined && { max_result_chars }),
    ...(depends_on !== undefined && { depends_on }),
    ...(ends_run !== undefined && { ends_run }),
    ...(status !== undefined && { status: texts(status) }),
  };
}

/** What a schema may have at most, before it is worked on, as for `untrustedSchema()`. */
const SCHEMA_BOUNDS: JsonBounds = { levels: Number.POSITIVE_INFINITY, values: 20_000 };

/** The longest description of a tool, in characters. Each request to the model has all of them. */
const MOST_DESCRIPTION_CHARS = 20_000;

/** The longest text for the user, in characters. */
const MOST_STATUS_CHARS = 1_000;

const LONGEST_MS = 2 ** 31 - 1;

const ENDS: readonly unknown[] = [true, false, "active", "suspended", "completed", "error", "expired"];

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length <= most;
}

function isUpTo(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && value >= least && value <= most;
}

function flag(field: string, value: unknown): { [field: string]: boolean } {
  if (value === undefined) return {};
  if (typeof value !== "boolean") throw new TypeError(`\`${field}\` must be true or false`);
  return { [field]: value };
}

function texts(status: unknown): { start?: string; done?: string } {
  const { start, done } = Object(status) as { start?: unknown; done?: unknown };
  if ([start, done].some((text) => text !== undefined && !isText(text, MOST_STATUS_CHARS)))
    throw new TypeError(
      `\`status\` must have the texts \`start\` and \`done\`, of up to ${MOST_STATUS_CHARS} characters`,
    );
  return {
    ...(start !== undefined && { start: withoutHidden(start as string) }),
    ...(done !== undefined && { done: withoutHidden(done as string) }),
  };
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 100));

function badList(what: string): RemoteFailure {
  return new RemoteFailure(`the list of tools is not valid: ${what}.`, { code: "bad_response", ran: "no" });
}
