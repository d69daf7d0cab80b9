import { jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi } from "../../src/index.ts";
import { httpAgent, say } from "../support/agents.ts";
import { serve } from "../support/served.ts";

/** A tool that asks for a list of any JSON. */
const anything = tool({
  name: "anything",
  description: "Asks.",
  input: jsonSchema({ type: "object" }),
  suspends: { answer: jsonSchema({ type: "array" }) },
});

const list = (length: number) => Array(length).fill(1);
const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));

/** A thread whose question is open, and functions that send an answer to it. They return the response's text. */
async function asked() {
  const script = [{ text: "What?", tools: [{ id: "c1", name: "anything", input: {} }] }, { text: "Done." }];
  const served = await serve(scriptedModel(script), { dialect: agUi(), tools: [anything] });
  const agent = httpAgent("1.0", served);
  await say(agent, "Ask me");
  const [question] = agent.pendingInterrupts;
  const send = async (more: object, messages: object[] = agent.messages) => {
    const json = { threadId: agent.threadId, runId: "r", messages, tools: [], context: [], ...more };
    const response = await served.ask("/runs", { json });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  };
  return {
    served,
    resume: async (payload: unknown) =>
      await send({ resume: [{ interruptId: question?.id, status: "resolved", payload }] }),
    toolMessage: async (value: unknown) =>
      await send({}, [
        ...agent.messages,
        { id: "mine", role: "tool", toolCallId: "c1", content: JSON.stringify(value) },
      ]),
  };
}

describe("B7 an answer over AG-UI", () => {
  it("in `resume` of too many values or levels is refused, and the question stays open", async () => {
    const { served, resume } = await asked();
    expect(await resume(list(50_001))).toContain("The body may have at most 50000 values.");
    expect(await resume(nested(101))).toContain("it may have at most 100 levels.");
    expect(await resume(list(49_000))).toContain("Done.");
    expect(served.errors).toEqual([]);
  });

  it("in a tool message, whose text the body's limits do not see, is refused by its own", async () => {
    const { served, toolMessage } = await asked();
    for (const [value, excess] of [
      [list(50_001), "50000 values"],
      // So deep a text is not read as JSON.
      [nested(501), "array"],
    ] as const) {
      const text = await toolMessage(value);
      expect(text).toContain('"code":"invalid_answer"');
      expect(text).toContain(excess);
      expect(text.length).toBeLessThan(2_000);
    }
    expect(await toolMessage(list(50_000))).toContain("Done.");
    expect(served.errors).toEqual([]);
  });
});
