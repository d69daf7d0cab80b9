import { askModel } from "@pawl/core";
import { openaiApi, type Reply } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { openai } from "../src/index.ts";

const answer = (input: unknown): Reply => ({ tools: [{ name: "answer", input: input as never }] });

it.each([
  ["a strict schema", z.object({ mood: z.enum(["glad", "sad"]), score: z.int().nullable() }), { score: 1 }],
  ["an optional field", z.object({ mood: z.enum(["glad", "sad"]), note: z.string().optional() }), {}],
  ["bounds", z.object({ mood: z.enum(["glad", "sad"]), score: z.number().min(1).max(5) }), { score: 2 }],
])("F21 Chat Completions accepts a structured question and its reminder: %s", async (_, schema, rest) => {
  const api = await openaiApi({
    script: [answer({ mood: "angry", ...rest }), answer({ mood: "glad", ...rest })],
  });
  try {
    const model = openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url });
    const asked = await askModel(model, { system: "You judge moods.", prompt: "What a day!", schema });
    expect(asked.output).toEqual({ mood: "glad", ...rest });
    expect(api.rejected).toEqual([]);
    expect(api.requests).toHaveLength(2);
  } finally {
    await api.close();
  }
});

it("F21 Chat Completions accepts a question for one of several objects", async () => {
  const schema = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("yes") }),
    z.object({ kind: z.literal("no"), why: z.string() }),
  ]);
  const api = await openaiApi({ script: [answer({ value: { kind: "no", why: "Rain." } })] });
  try {
    const model = openai("gpt-5.4-mini", { apiKey: "k", baseURL: api.url });
    expect((await askModel(model, { prompt: "Go?", schema })).output).toEqual({ kind: "no", why: "Rain." });
    expect(api.rejected).toEqual([]);
  } finally {
    await api.close();
  }
});
