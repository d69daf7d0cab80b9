import { approval, type Hook } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { asp, coach, metrics, trainer } from "../../../src/dialects.ts";
import { type Dialect, native } from "../../../src/index.ts";
import { serve } from "../../support/served.ts";

type Failed = (sessionId: string, error: string) => object;

const result = (tool_use_id: string, content: unknown) => ({
  type: "tool_result",
  tool_use_id,
  content,
  is_error: true,
});
const answers: Failed = (sessionId, error) => ({ sessionId, answers: [{ callId: "c1", error }] });

/** How each kind of client says that the call `c1` has failed. */
const ways: { [name: string]: { dialect: Dialect; first: object; failed: Failed } } = {
  native: { dialect: native(), first: { input: "Hi" }, failed: answers },
  trainer: { dialect: trainer(), first: { message: "Hi" }, failed: answers },
  metrics: { dialect: metrics(), first: { message: "Hi" }, failed: answers },
  asp: {
    dialect: asp(),
    first: { message: "Hi" },
    failed: (session_id, content) => ({ session_id, tool_results: [result("c1", content)] }),
  },
  "asp with blocks": {
    dialect: asp(),
    first: { message: "Hi" },
    failed: (session_id, text) => ({ session_id, tool_results: [result("c1", [{ type: "text", text }])] }),
  },
  coach: {
    dialect: coach(),
    first: { message: "Hi" },
    failed: (sessionId, error) => ({ sessionId, toolResults: [{ toolUseId: "c1", error }] }),
  },
  "coach with blocks": {
    dialect: coach(),
    first: { message: "Hi" },
    failed: (sessionId, content) => ({
      sessionId,
      messages: [{ role: "user", content: [result("c1", content)] }],
    }),
  },
};

async function answered(name: string, error: string, hooks: Hook[] = []) {
  const { dialect, first, failed } = ways[name] as (typeof ways)[string];
  const model = scriptedModel([{ tools: [{ name: "confirm", id: "c1" }] }, { text: "A pity." }]);
  const served = await serve(model, { dialect, hooks });
  const asked = await served.ask("/runs", { json: first });
  await asked.text();
  const sessionId = asked.headers.get("x-pawl-session") ?? "";
  const response = await served.ask("/runs", { json: failed(sessionId, error) });
  return { status: response.status, text: await response.text(), model };
}

describe("P2 a tool that fails at the client", () => {
  it.each(Object.keys(ways))("is an error to the model: %s", async (name) => {
    const { status, model } = await answered(name, "No camera.");
    expect(status).toBe(200);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "c1", is_error: true, content: "No camera." },
    ]);
  });

  it.each(Object.keys(ways))("is refused for an approval: %s", async (name) => {
    const { status, text } = await answered(name, "No.", [approval({ when: ["confirm"] })]);
    expect([status, text]).toEqual([422, expect.stringContaining("does not accept an error")]);
  });
});
