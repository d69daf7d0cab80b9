import { type AgentOptions, agent, memoryStore, runtime, tool } from "@pawl/core";
import { openaiApi, type Reply } from "@pawl/testing";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type OpenAIOptions, openai } from "../src/index.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

const weather = z.object({ city: z.string().min(2), celsius: z.number().nullable() });
const oslo = { city: "Oslo", celsius: 12 };
const look = tool({ name: "look", description: "Looks it up.", input: z.object({}), execute: () => 12 });

async function overHttp(
  script: readonly Reply[],
  options: OpenAIOptions = {},
  more: Partial<AgentOptions<unknown>> = {},
) {
  const api = await openaiApi({ script });
  open.push(api);
  const model = openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url, ...options });
  const made = agent({ name: "a", model, instructions: "x", output: weather, tools: [look], ...more });
  const pawl = runtime({ agents: [made], store: memoryStore(), onError: () => undefined });
  const say = (input: string, sessionId?: string) =>
    pawl.run("a", { userId: "u", input, ...(sessionId && { sessionId }) }).result;
  return { api, say, bodies: () => api.requests.map(({ body }) => body as { [field: string]: unknown }) };
}

describe("an agent with an output", () => {
  it("F2 sends the schema as a strict response format, the same in every request", async () => {
    const script = [{ tools: [{ name: "look" }] }, { output: { city: "O", celsius: 1 } }, { output: oslo }];
    const { api, say, bodies } = await overHttp(script);
    expect((await say("Oslo?")).output).toEqual(oslo);
    expect(api.rejected).toEqual([]);
    const formats = new Set(bodies().map(({ response_format }) => JSON.stringify(response_format)));
    expect([...formats].map((text) => JSON.parse(text))).toMatchObject([
      {
        type: "json_schema",
        json_schema: {
          name: "output",
          strict: true,
          schema: { required: ["city", "celsius"], additionalProperties: false },
        },
      },
    ]);
  });

  it.each<[string, OpenAIOptions, Partial<AgentOptions<unknown>>]>([
    [
      "optional fields, which strict formats lack",
      {},
      { output: z.object({ city: z.string(), celsius: z.number().optional() }) },
    ],
    ["a server without formats", { outputFormat: false }, {}],
    [
      "a server without formats that cannot force calls",
      { outputFormat: false, forcedToolChoice: false },
      {},
    ],
    ["an agent that acts through tools only", {}, { toolOnly: true }],
    [
      "more values than a format may have",
      {},
      { output: weather.extend({ id: z.enum(Array.from({ length: 1_001 }, (_, n) => `${n}`)).nullish() }) },
    ],
  ])("F2 offers one tool for %s", async (_, options, more) => {
    const { api, say, bodies } = await overHttp(
      [{ tools: [{ name: "look" }] }, { output: oslo }],
      options,
      more,
    );
    expect((await say("Oslo?")).output).toEqual(oslo);
    expect(api.rejected).toEqual([]);
    expect(bodies()[0]).not.toHaveProperty("response_format");
    expect(JSON.stringify(bodies()[0]?.tools)).toContain("final_answer");
  });

  it("F2 takes JSON in the text of a model that cannot call tools", async () => {
    const text = `<think>{"city":1}</think>Here it is:\n\`\`\`json\n${JSON.stringify(oslo)}\n\`\`\``;
    const { api, say } = await overHttp(
      [{ text }],
      { outputFormat: false, forcedToolChoice: false },
      { tools: [] },
    );
    expect(await say("Oslo?")).toMatchObject({ output: oslo, text: "" });
    expect(api.rejected).toEqual([]);
  });

  it("F2 has a typed reason for refusals and cut answers", async () => {
    const { say } = await overHttp([
      { text: "No.", stop: "refusal" },
      { output: oslo, clip: 6 },
    ]);
    expect((await say("Oslo?")).stop.type).toBe("refusal");
    expect((await say("Oslo?")).stop.type).toBe("max_tokens");
  });
});

describe("the simulated API", () => {
  const object = { type: "object", additionalProperties: false };
  it.each<[string, object, string]>([
    ["optional fields", { ...object, properties: { a: { type: "string" } } }, "Missing 'a'"],
    ["open objects", { type: "object", properties: {} }, "additionalProperties"],
    ["lists at the root", { type: "array", items: {} }, `"array"`],
    ["unions at the root", { ...object, properties: {}, required: [], anyOf: [] }, "anyOf"],
    [
      "a value without a type",
      { ...object, properties: { a: { enum: ["b"] } }, required: ["a"] },
      "'type' key",
    ],
    [
      "lengths",
      { ...object, properties: { a: { type: "string", minLength: 1 } }, required: ["a"] },
      "minLength",
    ],
    [
      "too many values",
      {
        ...object,
        properties: { a: { type: "string", enum: Array.from({ length: 1_001 }, (_, n) => `${n}`) } },
        required: ["a"],
      },
      "1001 enum values",
    ],
    ["allOf", { ...object, properties: { a: { allOf: [] } }, required: ["a"] }, "allOf"],
    [
      "open objects in unions",
      { ...object, properties: { a: { anyOf: [{ type: "object", properties: {} }] } }, required: ["a"] },
      "additionalProperties",
    ],
  ])("F2 T1 refuses %s in a strict format", async (_, schema, message) => {
    const api = await openaiApi({ script: [] });
    open.push(api);
    const client = openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
    const request = { system: [], tools: [], messages, maxTokens: 100, outputFormat: schema as never };
    const asking = Array.fromAsync(client.stream(request, { signal: new AbortController().signal }));
    await expect(asking).rejects.toThrow(/.*/);
    expect(api.rejected[0]?.error.message).toContain(message);
  });
});
