import type { Json } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { scriptedCoach } from "../support/harness.ts";

const question = "Where shall we start?";
const offer = (options: Json[]) => [
  { text: "Hello.", tools: [{ name: "show_options", input: { question, options }, id: "toolu_ask" }] },
  { text: "Good." },
];

async function offered(options: Json[]) {
  const made = await scriptedCoach(offer(options));
  const first = await made.ask({ input: "Hi" });
  const answer = (value: Json, userId = "ada") =>
    made.ask({ userId, sessionId: first.sessionId, answers: [{ callId: "toolu_ask", value }] });
  return { ...made, first, answer };
}

describe("show_options", () => {
  it("P1 T4 suspends the call with a question that contains what to show", async () => {
    const { first } = await offered(["Plan", { id: "r", label: "Reflect" }]);
    expect(first.stop.type).toBe("suspended");
    expect(first.pending).toMatchObject([
      {
        kind: "options",
        payload: {
          question,
          options: [
            { id: "Plan", label: "Plan" },
            { id: "r", label: "Reflect" },
          ],
        },
      },
    ]);
  });

  it.each([
    ["the id", "r"],
    ["the label", "Reflect"],
  ])("P2 accepts %s of an option as the option", async (_, option) => {
    const { answer } = await offered(["Plan", { id: "r", label: "Reflect" }]);
    const { actions, stop } = await answer({ option });
    expect(actions).toMatchObject([{ result: { chosen: "Reflect", id: "r" } }]);
    expect(stop.type).toBe("end_turn");
  });

  it("P2 accepts any other text as the user's own words", async () => {
    const { answer } = await offered(["Plan", "Reflect"]);
    const { actions } = await answer({ option: "  Neither, I slept badly " });
    expect(actions).toMatchObject([{ result: { own_words: "Neither, I slept badly" } }]);
  });

  it.each<[string, Json]>([
    ["an empty answer", { option: " " }],
    ["no answer", {}],
    ["an answer of another kind", { option: 1 }],
    ["a bare string", "Plan"],
    ["a novel", { option: "x".repeat(4_001) }],
  ])("P5 refuses %s and keeps the question open", async (_, value) => {
    const { answer, pawl, first } = await offered(["Plan", "Reflect"]);
    await expect(answer(value)).rejects.toMatchObject({ code: "invalid_answer" });
    const { pending } = await pawl.view(first.sessionId, { userId: "ada" });
    expect(pending).toHaveLength(1);
  });

  it("P5 does not exist for anybody else", async () => {
    const { answer } = await offered(["Plan", "Reflect"]);
    await expect(answer({ option: "Plan" }, "eve")).rejects.toMatchObject({ code: "not_found" });
  });

  it("P4 counts the first answer only", async () => {
    const { answer } = await offered(["Plan", "Reflect"]);
    await answer({ option: "Plan" });
    await expect(answer({ option: "Reflect" })).rejects.toMatchObject({ code: "already_answered" });
  });

  it.each<[string, Json[]]>([
    ["one option", ["Plan"]],
    ["six options", ["a", "b", "c", "d", "e", "f"]],
    ["an option without words", ["Plan", " "]],
    ["an option too long for a button", ["Plan", "x".repeat(81)]],
  ])("T3 refuses %s", async (_, options) => {
    const { first } = await offered(options);
    expect(first.stop.type).toBe("end_turn");
    expect(first.actions).toMatchObject([{ tool: "show_options", success: false }]);
  });
});
