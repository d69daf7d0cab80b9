import type { Question } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { answerable, askedByKind } from "../src/index.ts";

const asked = (callId: string, kind: string): Question => ({
  callId,
  kind,
  toolName: kind,
  payload: { question: callId },
  answerSchema: {},
  seq: 1,
});

describe("K6 pending questions", () => {
  const questions = answerable(
    [asked("a", "confirm"), asked("b", "pick"), asked("c", "confirm"), asked("d", "__proto__")],
    {
      answer: async (callId, value) => callId === "b" && value === 3,
      fail: async (callId, error, question) => callId === "b" && error === "No camera." && question === 1,
    },
  );

  it("are keyed by kind, the first of each", () => {
    const { confirm, pick } = askedByKind(questions);
    expect([confirm?.callId, pick?.callId]).toEqual(["a", "b"]);
    expect(Object.keys(askedByKind(questions)).sort()).toEqual(["__proto__", "confirm", "pick"]);
  });

  it("are answered one by one", async () => {
    const { confirm, pick } = askedByKind(questions);
    expect(await pick?.answer(3)).toBe(true);
    expect(await confirm?.answer(3)).toBe(false);
    expect(await questions[2]?.answer(3)).toBe(false);
    expect(await pick?.fail("No camera.")).toBe(true);
  });
});
