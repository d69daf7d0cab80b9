import type { JsonObject } from "@pawl/core";
import { plainJsonSchema } from "@pawl/core/tools";
import { PATHS } from "../wire/definition.ts";
import type { Definitions } from "./definitions.ts";
import type { ServedTools } from "./handler-options.ts";

/** Returns the OpenAPI 3.1 document of the routes and the tools. */
export function openApi(
  { basePath, title }: Pick<ServedTools, "basePath" | "title">,
  { tools, version }: Definitions,
): JsonObject {
  const inputs = tools.map(({ name, input_schema }): [string, JsonObject] => [
    inputName(name),
    plainJsonSchema(input_schema, `#/components/schemas/${inputName(name)}`),
  ]);
  const calls = tools.map(({ name, description, idempotent = false }) => ({
    type: "object",
    description,
    properties: { tool_name: { const: name }, tool_input: ref(inputName(name)) },
    required: ["tool_name", "tool_input"],
    "x-idempotent": idempotent,
  }));
  return {
    openapi: "3.1.0",
    info: { title, version },
    security: [{ bearer: [] }],
    paths: {
      [basePath + PATHS.schema]: { get: schemaRoute() },
      [basePath + PATHS.execute]: { post: executeRoute() },
      [basePath + PATHS.openApi]: { get: documentRoute() },
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        ...Object.fromEntries(inputs),
        // No tools, no calls: `oneOf` must not be empty.
        Call: calls.length === 0 ? { not: {} } : { oneOf: calls },
        Outcome: outcome(),
        Report: report(),
        Definition: definition(),
        Error: error(),
      },
    },
  };
}

/** The name of the component for a tool's input. No other component's name has a dot. */
const inputName = (tool: string) => `${tool}.input`;

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const json = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });

const failure = (description: string): JsonObject => ({ description, content: json(ref("Error")) });

function schemaRoute(): JsonObject {
  const body = {
    type: "object",
    properties: { tools: { type: "array", items: ref("Definition") }, version: { type: "string" } },
    required: ["tools", "version"],
  };
  return {
    operationId: "listTools",
    summary: "Lists the tools with the JSON Schemas of their inputs",
    parameters: [{ name: "if-none-match", in: "header", schema: { type: "string" } }],
    responses: {
      "200": {
        description: "The tools. `version` changes with them.",
        headers: { etag: { schema: { type: "string" } } },
        content: json(body),
      },
      "304": { description: "The tools have not changed." },
      "401": failure("The bearer token is missing or invalid."),
    },
  };
}

function executeRoute(): JsonObject {
  const key = { type: "string", minLength: 1, maxLength: 255 };
  return {
    operationId: "executeTool",
    summary: "Runs a tool",
    parameters: [
      {
        name: "idempotency-key",
        in: "header",
        description: "The same for repetitions of one call, and for no other call.",
        schema: key,
      },
    ],
    requestBody: { required: true, content: json(ref("Call")) },
    responses: {
      "200": { description: "The tool's result, or the tool's own error.", content: json(ref("Outcome")) },
      "400": failure("The request is malformed."),
      "401": failure("The bearer token is missing or invalid."),
      "404": failure("There is no such tool."),
      "413": failure("The body is too large."),
      "415": failure("The body is not JSON."),
      "422": failure("The input does not match the tool's schema."),
      "499": failure("The request was aborted while the tool ran. Its outcome is unknown."),
      "500": failure("The server failed."),
      "504": failure("The tool took too long. Its outcome is unknown."),
    },
  };
}

function documentRoute(): JsonObject {
  return {
    operationId: "describeTools",
    summary: "This document",
    responses: { "200": { description: "An OpenAPI document.", content: json({ type: "object" }) } },
  };
}

function outcome(): JsonObject {
  const text = { type: "string" };
  const error = { type: "object", properties: { code: text, message: text }, required: ["message"] };
  return {
    type: "object",
    properties: { tool_name: text, result: {}, error, report: ref("Report") },
    required: ["tool_name"],
    oneOf: [{ required: ["result"] }, { required: ["error"] }],
  };
}

function report(): JsonObject {
  const text = { type: "string" };
  return {
    type: "object",
    description: "What the tool reported about the call.",
    properties: {
      cost_usd: { type: "number", minimum: 0 },
      connector: text,
      fragments: { type: "array", items: text },
      sources: {
        type: "array",
        items: {
          type: "object",
          properties: { id: text, title: text, url: text },
          required: ["id", "title"],
        },
      },
      summary: text,
    },
  };
}

function definition(): JsonObject {
  const text = { type: "string" };
  return {
    type: "object",
    properties: {
      name: { type: "string", pattern: "^[a-zA-Z0-9_-]{1,64}$" },
      description: text,
      input_schema: { type: "object" },
      idempotent: { type: "boolean" },
      repeatable: { type: "boolean" },
      timeout_ms: { type: "number" },
      max_result_chars: { type: "integer" },
      depends_on: { type: "array", items: text },
      ends_run: { type: ["boolean", "string"] },
      status: { type: "object", properties: { start: text, done: text } },
    },
    required: ["name", "description", "input_schema"],
  };
}

function error(): JsonObject {
  const text = { type: "string" };
  return {
    type: "object",
    properties: {
      error: { type: "object", properties: { code: text, message: text }, required: ["code", "message"] },
      report: ref("Report"),
    },
    required: ["error"],
  };
}
