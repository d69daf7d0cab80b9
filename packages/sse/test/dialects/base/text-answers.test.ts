import { type Json, jsonSchema, type Schema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, trainer } from "../../../src/dialects.ts";
import { agUi, aiSdk, type Dialect } from "../../../src/index.ts";
import { serve } from "../../support/served.ts";

type Said = (sessionId: string, said: Json) => object;

/** How each kind of client sends an answer to the call `c1`. */
const clients: { [name: string]: { dialect: Dialect; first: object; answer: Said } } = {
  coach: {
    dialect: coach(),
    first: { message: "Hi" },
    answer: (sessionId, result) => ({ sessionId, toolResults: [{ toolUseId: "c1", result }] }),
  },
  trainer: {
    dialect: trainer(),
    first: { message: "Hi" },
    answer: (sessionId, value) => ({ sessionId, answers: [{ callId: "c1", value }] }),
  },
  metrics: {
    dialect: metrics(),
    first: { message: "Hi" },
    answer: (sessionId, value) => ({ sessionId, answers: [{ callId: "c1", value }] }),
  },
  asp: {
    dialect: asp(),
    first: { message: "Hi" },
    answer: (session_id, text) => ({
      session_id,
      tool_results: [{ tool_use_id: "c1", content: [{ type: "text", text }] }],
    }),
  },
  agUi: {
    dialect: agUi(),
    first: { threadId: "t", runId: "r1", messages: [{ id: "m1", role: "user", content: "Hi" }] },
    answer: (_, content) => ({
      threadId: "t",
      runId: "r2",
      messages: [{ id: "m2", role: "tool", toolCallId: "c1", content }],
    }),
  },
  aiSdk: {
    dialect: aiSdk(),
    first: { id: "t", messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
    answer: (_, output) => ({
      id: "t",
      messages: [
        {
          id: "m2",
          role: "assistant",
          parts: [{ type: "tool-ask", toolCallId: "c1", state: "output-available", output }],
        },
      ],
    }),
  },
};

/** What a question that wants this is answered with, where a client sends that text. */
async function answered(client: string, wanted: Schema, said: string): Promise<Json | undefined> {
  const { dialect, first, answer } = clients[client] as (typeof clients)[string];
  const ask = tool({
    name: "ask",
    description: "Asks.",
    input: jsonSchema({ type: "object" }),
    suspends: { answer: wanted },
  });
  const model = scriptedModel([{ tools: [{ name: "ask", id: "c1" }] }, { text: "Thanks." }]);
  const served = await serve(model, { dialect, tools: [ask] });
  const asked = await served.ask("/runs", { json: first });
  await asked.text();
  const sessionId = asked.headers.get("x-pawl-session") ?? "";
  const response = await served.ask("/runs", { json: answer(sessionId, said) });
  expect(response.status, await response.text()).toBe(200);
  const [event] = await Array.fromAsync(served.store.read(sessionId, { types: ["tool_answered"] }));
  return event?.type === "tool_answered" ? event.data.value : undefined;
}

const text = jsonSchema({ type: "string" });
const number = jsonSchema({ type: "integer" });
const either = jsonSchema({ anyOf: [{ type: "string" }, { type: "integer" }] });
const anything = jsonSchema({});
const object = jsonSchema({ type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] });

describe("P5 an answer that a client sends as text", () => {
  it.each(Object.keys(clients))("P5 is the text if the question accepts a text: %s", async (client) => {
    for (const said of ["forty-two", "42", "true", "null", "[1]", '"quoted"', '{"a":1}'])
      expect(await answered(client, text, said)).toBe(said);
    expect(await answered(client, either, "42")).toBe("42");
  });

  it.each(Object.keys(clients).filter((client) => client !== "aiSdk"))(
    "P5 is the JSON in it where the question takes no text, or an object as well: %s",
    async (client) => {
      expect(await answered(client, number, "42")).toBe(42);
      expect(await answered(client, object, '{"yes":true}')).toEqual({ yes: true });
      for (const both of [anything, jsonSchema({ anyOf: [{ type: "string" }, { type: "object" }] })]) {
        expect(await answered(client, both, '{"yes":true}')).toEqual({ yes: true });
        expect(await answered(client, both, "42")).toBe("42");
      }
      expect(await answered(client, anything, "[1]")).toEqual([1]);
      const deep = "[".repeat(600) + "]".repeat(600);
      expect(await answered(client, anything, deep)).toBe(deep);
    },
  );
});
