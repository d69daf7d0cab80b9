import type { Json, JsonObject } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { expect, it } from "vitest";
import { toolMessages } from "../../../src/dialects/ag-ui/ag-ui-tool-messages.ts";
import { awaitedAnswers } from "../../../src/dialects/base/answers.ts";

const call = (callId: string, result: unknown, phase = "done") => ({ type: "tool", callId, phase, result });
const viewOf = (parts: object[], pending: object[] = []) =>
  ({ messages: [{ role: "assistant", parts }], pending }) as unknown as ViewState;
const sent = (toolCallId: string, content: string, n: number) =>
  ({ id: `m${n}`, role: "tool", toolCallId, content }) as JsonObject;

it("B7 makes a stored result text once, however many messages of a thread name its call", () => {
  let made = 0;
  const result = {
    toJSON: () => {
      made += 1;
      return [1, 2];
    },
  };
  const view = viewOf([call("c1", result), call("c2", "found"), call("c3", null, "running")]);
  const messages = Array.from({ length: 200 }, (_, n) => sent("c1", n % 2 === 0 ? "[1,2]" : "[1]", n));
  const others = [sent("c2", "found", 1), sent("c2", "else", 2), sent("c3", "null", 3), sent("c4", "x", 4)];
  const found = toolMessages([...messages, ...others], view);
  expect(made).toBe(1);
  expect(found.map(({ callId, content }) => `${callId} ${content}`)).toEqual([
    ...Array(100).fill("c1 [1]"),
    "c2 else",
    "c3 null",
    "c4 x",
  ]);
});

it("B7 W2 reads the schema of a question and the session's calls once for all answers of a request", () => {
  let reads = 0;
  const question = {
    callId: "c1",
    seq: 1,
    kind: "question",
    get answerSchema() {
      reads += 1;
      return { type: "string" };
    },
  };
  const said = Array.from({ length: 50 }, () => ({ callId: "c1", value: "7" as Json, isText: true }));
  const answers = awaitedAnswers(viewOf([], [question]), said);
  expect([answers.length, answers[0]?.value, reads]).toEqual([50, "7", 1]);
  let looked = 0;
  const part = {
    type: "tool",
    get callId() {
      looked += 1;
      return "c9";
    },
  };
  expect(() => awaitedAnswers(viewOf([part]), said)).toThrow("There is no such question");
  expect(looked).toBe(1);
});
