import { askModel } from "@pawl/core";
import { messagesApi, type Reply } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { claude } from "../src/index.ts";

const schema = z.object({ mood: z.enum(["glad", "sad"]), score: z.int().nullable() });
const answer = (mood: string): Reply => ({ tools: [{ name: "answer", input: { mood, score: null } }] });

it.each([
  ["claude-haiku-4-5", {}, "tool"],
  ["claude-opus-5-5", {}, undefined],
  ["claude-sonnet-5-5", { thinking: { type: "adaptive" } }, undefined],
] as const)(
  "F21 the Messages API accepts a structured question and its reminder: %s",
  async (id, options, choice) => {
    const first = "thinking" in options ? { thinking: "Hm.", ...answer("angry") } : answer("angry");
    const api = await messagesApi({ script: [first, answer("glad")] });
    try {
      const model = claude(id, { apiKey: "sk-ant-test", baseURL: api.url, ...options });
      const asked = await askModel(model, { system: "You judge moods.", prompt: "What a day!", schema });
      expect(asked.output).toEqual({ mood: "glad", score: null });
      expect(api.rejected).toEqual([]);
      const bodies = api.requests.map(
        ({ body }) => body as { tool_choice?: { type: string }; tools: object[] },
      );
      expect(bodies.map(({ tool_choice }) => tool_choice?.type)).toEqual([choice, choice]);
      expect(bodies[0]?.tools).toMatchObject([{ strict: true }]);
    } finally {
      await api.close();
    }
  },
);

it("F21 the Messages API accepts a question whose schema strict tools would refuse", async () => {
  const api = await messagesApi({ script: [{ tools: [{ name: "answer", input: { value: ["a"] } }] }] });
  try {
    const model = claude("claude-haiku-4-5", { apiKey: "sk-ant-test", baseURL: api.url });
    const list = z.array(z.string().min(1)).min(1).max(3);
    expect((await askModel(model, { prompt: "List.", schema: list })).output).toEqual(["a"]);
    expect(api.rejected).toEqual([]);
  } finally {
    await api.close();
  }
});
