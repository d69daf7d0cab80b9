import { request as httpRequest } from "node:http";
import { messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, send, valid, weather } from "./support.ts";

const api = await messagesApi({ rules: () => ({ text: "Hello." }) });
afterAll(() => api.close());

const tools = [weather];
const tool = (changes: Body): Body => ({ tools: [{ ...weather, ...changes }] });
const schema = (input_schema: unknown): Body => tool({ input_schema });
const closed = { type: "object", additionalProperties: false };

/** What changes in a valid request, the status and the text of the refusal. */
const refusals: [string, Body, number, string][] = [
  ["no model", { model: undefined }, 400, "model: Field required"],
  ["no max_tokens", { max_tokens: undefined }, 400, "max_tokens: Field required"],
  ["no messages", { messages: undefined }, 400, "messages: Field required"],
  ["unknown field", { context_management: {} }, 400, "context_management: Extra inputs are not permitted"],
  ["temperature", { temperature: 1 }, 400, "temperature: Extra inputs are not permitted"],
  ["wrong type", { model: 1 }, 400, "model: Input should be a valid string"],
  ["max_tokens as text", { max_tokens: "5" }, 400, "max_tokens: Input should be a valid integer"],
  ["max_tokens below 0", { max_tokens: -1 }, 400, "max_tokens: Input should be greater than or equal to 0"],
  ["messages no list", { messages: "Hi" }, 400, "messages: Input should be a valid list"],
  ["empty messages", { messages: [] }, 400, "messages: at least one message is required"],
  ["unknown model", { model: "claude-9" }, 404, "model: claude-9"],
  [
    "max_tokens too large",
    { model: "claude-haiku-4-5", max_tokens: 99_999 },
    400,
    "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5",
  ],
  [
    "max_tokens 0 with a forced tool",
    { max_tokens: 0, tools, tool_choice: { type: "any" } },
    400,
    "max_tokens: 0 is not supported when `tool_choice` forces tool use",
  ],
  [
    "blank stop sequence",
    { stop_sequences: ["END", " "] },
    400,
    "stop_sequences: each stop sequence must contain non-whitespace",
  ],
  [
    "container without code execution",
    { container: "c_1" },
    400,
    "Container identifier can only be provided when using the code execution tool",
  ],
  [
    "bad service tier",
    { service_tier: "fast" },
    400,
    "service_tier: Input should be 'auto' or 'standard_only'",
  ],
  [
    "prompt too long",
    { model: "claude-haiku-4-5", system: "x".repeat(900_000) },
    400,
    "prompt is too long: 225002 tokens > 200000 maximum",
  ],
  [
    "tool name",
    tool({ name: "get weather" }),
    400,
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ["tool name twice", { tools: [weather, weather] }, 400, "tools: Tool names must be unique."],
  [
    "tool without schema",
    tool({ input_schema: undefined }),
    400,
    "tools.0.custom.input_schema: Field required",
  ],
  [
    "tool with an unknown field",
    tool({ title: "W" }),
    400,
    "tools.0.custom.title: Extra inputs are not permitted",
  ],
  ["schema without type", schema({}), 400, "tools.0.custom.input_schema.type: Field required"],
  [
    "schema of a string",
    schema({ type: "string" }),
    400,
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    "schema of another draft",
    schema({ type: "object", properties: { n: { type: "number", exclusiveMinimum: true } } }),
    400,
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12.",
  ],
  [
    "example beside the schema",
    tool({ input_examples: [{ city: 1 }] }),
    400,
    "tools.0.custom.input_examples.0: Input example does not match the input schema",
  ],
  [
    "strict tool with open objects",
    tool({ strict: true }),
    400,
    "tools.0.custom.input_schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    "strict tool with a bound",
    tool({ strict: true, input_schema: { ...closed, properties: { n: { type: "number", minimum: 1 } } } }),
    400,
    "tools.0.custom.input_schema: For 'number' type, property 'minimum' is not supported",
  ],
  [
    "strict tool that refers to itself",
    tool({
      strict: true,
      input_schema: {
        ...closed,
        properties: { next: { $ref: "#/$defs/node" } },
        $defs: { node: { ...closed, properties: { next: { $ref: "#/$defs/node" } } } },
      },
    }),
    400,
    "tools.0.custom.input_schema: Circular reference detected",
  ],
  [
    "strict tools with too many optional fields",
    tool({
      strict: true,
      input_schema: {
        ...closed,
        properties: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`f${n}`, { type: "string" }])),
      },
    }),
    400,
    "tools: strict tools may have at most 24 optional parameters in total. Found 25.",
  ],
  [
    "too many strict tools",
    { tools: Array.from({ length: 21 }, (_, n) => ({ name: `t${n}`, strict: true, input_schema: closed })) },
    400,
    "tools: at most 20 tools may be strict. Found 21.",
  ],
  [
    "all tools deferred",
    tool({ defer_loading: true }),
    400,
    "At least one tool must have defer_loading=false",
  ],
  [
    "tool_choice without tools",
    { tool_choice: { type: "auto" } },
    400,
    "tool_choice may only be specified while providing tools.",
  ],
  [
    "tool_choice of an unknown tool",
    { tools, tool_choice: { type: "tool", name: "other" } },
    400,
    "Tool 'other' not found in provided tools",
  ],
  ...["claude-opus-5-5", "claude-fable-5-1", "claude-fable-5-2"].flatMap((model) =>
    [{ type: "any" }, { type: "tool", name: "get_weather" }].map(
      (tool_choice): [string, Body, number, string] => [
        `L11 forced tool_choice ${tool_choice.type} on ${model}`,
        { model, tools, tool_choice },
        400,
        'tool_choice: type "tool" and "any" are not supported for this model.',
      ],
    ),
  ),
];

describe("refuses, in the API's words,", () => {
  it.each(refusals)("%s", async (_title, changes, status, text) => {
    const type = status === 404 ? "not_found_error" : "invalid_request_error";
    expect(await send(api, valid(changes))).toEqual({ status, type, text });
  });

  it("max_tokens 0 in a stream", async () => {
    const sent = await send(api, valid({ max_tokens: 0, stream: true }));
    expect(sent).toMatchObject({ status: 400, text: "max_tokens: 0 is not supported when `stream` is true" });
  });
});

describe("accepts", () => {
  const accepted: [string, Body][] = [
    ["a plain request", {}],
    ["max_tokens 0, to warm the cache", { max_tokens: 0 }],
    ["a dated model id", { model: "claude-haiku-4-5-20251001" }],
    [
      "L11 a forced tool where the model allows it",
      { tools, tool_choice: { type: "any", disable_parallel_tool_use: true } },
    ],
    [
      "a schema that names another draft",
      schema({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" }),
    ],
    ["a strict tool", tool({ strict: true, input_schema: closed })],
    ["a tool of the server", { tools: [{ type: "web_search_20260318", name: "web_search" }] }],
    ["effort and metadata", { output_config: { effort: "low" }, metadata: { user_id: "u" } }],
  ];
  it.each(accepted)("%s", async (_title, changes) => {
    expect(await send(api, valid(changes))).toHaveProperty("message");
  });

  it("stops with max_tokens and says nothing when it only warms the cache", async () => {
    const sent = await send(api, valid({ max_tokens: 0 }));
    expect(sent).toMatchObject({ message: { content: [], stop_reason: "max_tokens" } });
  });
});

describe("what stands around the body", () => {
  const post = async (
    headers: Record<string, string>,
    body: string,
    at = api.url,
  ): Promise<[number, unknown]> => {
    const response = await fetch(`${at}/v1/messages`, { method: "POST", headers, body });
    expect(response.headers.get("request-id")).toMatch(/^req_01/);
    const { error, request_id } = (await response.json()) as { error: Body; request_id: string };
    expect(request_id).toBe(response.headers.get("request-id"));
    return [response.status, `${error.type} | ${error.message}`];
  };
  const version = { "anthropic-version": "2026-10-21" };
  const key = { authorization: "Bearer k" };
  const good = JSON.stringify(valid());
  let keyed: Awaited<ReturnType<typeof messagesApi>>;
  beforeAll(async () => {
    keyed = await messagesApi({ apiKeys: ["right"], rules: () => ({ text: "." }) });
  });
  afterAll(() => keyed.close());

  it("refuses a missing key", async () => {
    expect(await post(version, good)).toEqual([401, "authentication_error | x-api-key header is required"]);
  });
  it("refuses a wrong key", async () => {
    expect(await post({ ...version, "x-api-key": "wrong" }, good, keyed.url)).toEqual([
      401,
      "authentication_error | invalid x-api-key",
    ]);
    expect(await post({ ...version, ...key }, good, keyed.url)).toEqual([
      401,
      "authentication_error | invalid bearer token",
    ]);
  });
  it("refuses a missing or unknown version", async () => {
    const missing = "invalid_request_error | anthropic-version: header is required";
    expect(await post(key, good)).toEqual([400, missing]);
    expect((await post({ ...key, "anthropic-version": "1" }, good))[0]).toBe(400);
  });
  it("refuses unknown betas", async () => {
    const [status, text] = await post({ ...key, ...version, "anthropic-beta": "nope-1" }, good);
    expect(status).toBe(400);
    expect(text).toContain("Unexpected value(s) `nope-1` for the `anthropic-beta` header.");
  });
  it("refuses broken JSON", async () => {
    const text = "invalid_request_error | The request body is not valid JSON";
    expect(await post({ ...key, ...version }, "{")).toEqual([400, text]);
  });
  it("refuses more than 32 MB", async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(
        `${api.url}/v1/messages`,
        { method: "POST", headers: { ...key, ...version } },
        (response) => resolve(response.resume().statusCode),
      );
      request.on("error", reject).end(Buffer.alloc(32 * 1024 * 1024 + 1, "x"));
    });
    expect(status).toBe(413);
    expect(api.rejected.at(-1)?.error.type).toBe("request_too_large");
  });
  it("knows no other path", async () => {
    expect((await fetch(`${api.url}/v1/other`)).status).toBe(404);
    expect((await fetch(`${api.url}/v1/messages`)).status).toBe(405);
  });
});

it("records what it refused, and not what a fault refused", async () => {
  const own = await messagesApi({ script: [{ fault: { status: 400 } }] });
  await send(own, valid({ messages: [] }));
  await send(own, valid());
  expect(own.rejected.map(({ error }) => error.message)).toEqual([
    "messages: at least one message is required",
  ]);
  expect(own.requests).toHaveLength(2);
  await own.close();
});
