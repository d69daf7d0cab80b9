import { type AgentOptions, agent, memoryStore, runtime, tool, withFallback } from "@pawl/core";
import { messagesApi, type Reply } from "@pawl/testing";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type ClaudeOptions, claude } from "../src/index.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

const weather = z.object({ city: z.string().min(2), celsius: z.number().optional() });
const oslo = { city: "Oslo", celsius: 12 };
const look = tool({
  name: "look",
  description: "Looks it up.",
  input: z.object({}),
  format: () => [
    {
      type: "search_result",
      source: "a",
      title: "A",
      content: [{ type: "text", text: "12" }],
      citations: { enabled: true },
    },
  ],
  execute: () => 1,
});

/** An agent whose model is the real SDK, over HTTP. */
async function overHttp(
  script: readonly Reply[],
  { model = "claude-sonnet-5-5", ...options }: ClaudeOptions & { model?: string } = {},
  more: Partial<AgentOptions<unknown>> = {},
) {
  const api = await messagesApi({ script });
  open.push(api);
  const client = claude(model, { apiKey: "k", baseURL: api.url, ...options });
  const made = agent({
    name: "a",
    model: client,
    instructions: "x",
    output: weather,
    tools: [look],
    ...more,
  });
  const pawl = runtime({ agents: [made], store: memoryStore(), onError: () => undefined });
  const say = (input: string, sessionId?: string) =>
    pawl.run("a", { userId: "u", input, ...(sessionId && { sessionId }) }).result;
  const bodies = () => api.requests.map(({ body }) => body as { [field: string]: unknown });
  return { api, say, bodies, client };
}

describe("an agent with an output", () => {
  it("F2 sends the schema as output format, the same in every request, and without citations", async () => {
    const script = [
      { tools: [{ name: "look" }] },
      { output: { city: "O" } },
      { output: oslo },
      { output: oslo },
    ];
    const { api, say, bodies } = await overHttp(script, { effort: "low" });
    const { output, sessionId } = await say("Oslo?");
    expect(output).toEqual(oslo);
    expect((await say("Again?", sessionId)).output).toEqual(oslo);
    expect(api.rejected).toEqual([]);
    const configs = new Set(bodies().map(({ output_config }) => JSON.stringify(output_config)));
    expect([...configs].map((text) => JSON.parse(text))).toEqual([
      {
        effort: "low",
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            properties: {
              city: { type: "string", description: '{"minLength":2}' },
              celsius: { type: "number" },
            },
            required: ["city"],
            additionalProperties: false,
          },
        },
      },
    ]);
    const results = JSON.stringify(bodies().at(-1)?.messages);
    expect(results).toContain("search_result");
    expect(results).not.toContain("citations");
    const [first] = bodies();
    expect(bodies().every(({ tools }) => JSON.stringify(tools) === JSON.stringify(first?.tools))).toBe(true);
  });

  it.each([
    ["a model before 4.5", { model: "claude-haiku-4-5", outputFormat: false }, {}],
    ["a schema that no format can express", {}, { output: z.record(z.string(), z.number()) }],
  ])("F2 offers one tool for %s", async (_, options, more) => {
    const value = "output" in more ? { Oslo: 12 } : oslo;
    const { api, say, bodies } = await overHttp([{ output: value }], options, more);
    expect((await say("Oslo?")).output).toEqual(value);
    expect(api.rejected).toEqual([]);
    expect(bodies()[0]).not.toHaveProperty("output_config");
    expect(bodies()[0]?.tools).toMatchObject([{ name: "look" }, { name: "final_answer" }]);
  });

  it("F2 has a typed reason for refusals and cut answers", async () => {
    const { say } = await overHttp([
      { text: "No.", stop: "refusal" },
      { output: oslo, clip: 6 },
    ]);
    expect((await say("Oslo?")).stop.type).toBe("refusal");
    expect((await say("Oslo?")).stop.type).toBe("max_tokens");
  });

  it("F2 falls back to another model with the same format", async () => {
    const { client, api } = await overHttp([{ fault: { status: 529 } }, { output: oslo }]);
    const made = agent({
      name: "b",
      model: withFallback(client, client),
      instructions: "x",
      output: weather,
    });
    expect(made.output?.format).toBeDefined();
    const pawl = runtime({ agents: [made], store: memoryStore() });
    expect((await pawl.run(made, { userId: "u", input: "Oslo?" }).result).output).toEqual(oslo);
    expect(api.rejected).toEqual([]);
    const plain = withFallback(client, claude("claude-3-haiku", { apiKey: "k" }));
    expect(
      agent({ name: "b", model: plain, instructions: "x", output: weather }).output?.format,
    ).toBeUndefined();
  });

  it.each([
    ["claude-sonnet-5-5", true],
    ["claude-opus-4-5-20251101", true],
    ["claude-fable-5-2", true],
    ["claude-opus-5", true],
    ["claude-opus-4-1-20250805", false],
    ["claude-sonnet-4-20250514", false],
    ["claude-3-5-haiku-20241022", false],
    ["another-model", false],
  ])("F2 knows that %s has output formats: %s", (model, has) => {
    expect(claude(model, { apiKey: "k" }).outputFormat !== undefined).toBe(has);
  });
});

describe("the simulated API", () => {
  it.each<[string, object, string]>([
    [
      "bounds",
      { type: "object", properties: { a: { type: "string", minLength: 1 } }, additionalProperties: false },
      "minLength",
    ],
    ["open objects", { type: "object", properties: {} }, "additionalProperties"],
    [
      "formats",
      { type: "object", properties: { a: { type: "string", format: "color" } }, additionalProperties: false },
      "color",
    ],
    ["oneOf", { oneOf: [{ type: "string" }] }, "oneOf"],
    [
      "too many unions",
      { anyOf: Array.from({ length: 17 }, () => ({ type: ["string", "null"] })) },
      "Schema is too complex for compilation.",
    ],
  ])("F2 T1 refuses %s in an output format", async (_, schema, message) => {
    const api = await messagesApi({ script: [] });
    open.push(api);
    const client = claude("claude-sonnet-5-5", { apiKey: "k", baseURL: api.url });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
    const request = { system: [], tools: [], messages, maxTokens: 100, outputFormat: schema as never };
    const asking = Array.fromAsync(client.stream(request, { signal: new AbortController().signal }));
    await expect(asking).rejects.toThrow(/.*/);
    expect(api.rejected[0]?.error.message).toContain(message);
  });
});
