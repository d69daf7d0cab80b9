import {
  type JsonObject,
  jsonSchema,
  messageOf,
  type Tool,
  type ToolContext,
  toJson,
  tool,
} from "@pawl/core";
import { plainJsonSchema } from "@pawl/core/tools";
import type { ToolDefinition } from "../wire/definition.ts";
import { RemoteFailure } from "./remote-failure.ts";
import type { RemoteToolsOptions } from "./remote-options.ts";

/** Calls the tool of a definition. */
export type CallDefined = (
  definition: ToolDefinition,
  input: unknown,
  context: ToolContext<never>,
) => unknown;

/**
 * Makes tools of what a server lists. Nothing in it is trusted: names, schemas and all else are checked, and
 * unknown fields are ignored.
 *
 * @throws RemoteFailure that names the tool
 */
export function toolsFrom(
  body: unknown,
  { include, prefix = "", maxTools = 128 }: Pick<RemoteToolsOptions, "include" | "prefix" | "maxTools">,
  call: CallDefined,
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
    tools: wanted.map(({ one, name }) => toolFrom(one as Partial<ToolDefinition>, name, prefix, call)),
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
  call: CallDefined,
): Tool<never> {
  try {
    const definition = checked(given, name);
    const { description, input_schema, idempotent = false, repeatable = false, status } = definition;
    return tool({
      name: prefix + name,
      description,
      input: jsonSchema(input_schema),
      idempotent,
      repeatable,
      ...(status !== undefined && { status }),
      execute: (input: unknown, context: ToolContext<never>) => call(definition, input, context),
    });
  } catch (cause) {
    throw badList(`its tool ${quoted(name)} cannot be used: ${messageOf(cause).replace(/\.$/, "")}`);
  }
}

function checked(given: Partial<ToolDefinition>, name: string): ToolDefinition {
  const { description = "", input_schema, idempotent, repeatable, timeout_ms, status } = given;
  if (typeof description !== "string") throw new TypeError("`description` must be a string");
  if (typeof input_schema !== "object" || input_schema === null || Array.isArray(input_schema))
    throw new TypeError("`input_schema` must be a JSON Schema, an object");
  if (timeout_ms !== undefined && !(typeof timeout_ms === "number" && timeout_ms >= 1))
    throw new TypeError("`timeout_ms` must be a number from 1");
  return {
    name,
    description,
    input_schema: plainJsonSchema(toJson(input_schema) as JsonObject),
    ...flag("idempotent", idempotent),
    ...flag("repeatable", repeatable),
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(status !== undefined && { status: texts(status) }),
  };
}

function flag(field: string, value: unknown): { [field: string]: boolean } {
  if (value === undefined) return {};
  if (typeof value !== "boolean") throw new TypeError(`\`${field}\` must be true or false`);
  return { [field]: value };
}

function texts(status: unknown): { start?: string; done?: string } {
  const { start, done } = Object(status) as { start?: unknown; done?: unknown };
  if ([start, done].some((text) => text !== undefined && typeof text !== "string"))
    throw new TypeError("`status` must have the texts `start` and `done`");
  return {
    ...(start !== undefined && { start: start as string }),
    ...(done !== undefined && { done: done as string }),
  };
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 100));

function badList(what: string): RemoteFailure {
  return new RemoteFailure(`the list of tools is not valid: ${what}.`, { code: "bad_response", ran: "no" });
}
