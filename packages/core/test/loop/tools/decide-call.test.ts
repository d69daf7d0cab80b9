import { expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../src/index.ts";
import { type CallFacts, decideCall } from "../../../src/loop/tools/decide-call.ts";
import type { CallState } from "../../../src/session/state.ts";
import type { Tool } from "../../../src/tools/tool.ts";

const input = z.object({});
const plain = tool({ name: "t", description: "", input, execute: () => 1 }) as Tool;
const asking = tool({ name: "t", description: "", input, suspends: { answer: z.string() } }) as Tool;
const page = tool({ name: "t", description: "", input, runsIn: "client", output: input }) as Tool;

const call = (more: object = {}) =>
  ({ callId: "c", toolName: "t", started: undefined, question: undefined, ...more }) as unknown as CallState;
const valid = { ok: true as const, value: { a: 1 } };
const agreed = { do: "run" as const, input: { a: 2 }, changed: { a: 2 } };
const own = { question: { seq: 3 } };

it.each<[string, Partial<CallState>, CallFacts, object]>([
  ["a tool that is gone", {}, { tool: undefined, refusal: "no" }, { do: "refuse_missing" }],
  [
    "what must not run again",
    {},
    { tool: plain, notAgain: "cut off", refusal: "no" },
    { do: "refuse", why: "cut off" },
  ],
  ["a call that is not allowed", {}, { tool: plain, refusal: "no" }, { do: "refuse", why: "no" }],
  ["its input", {}, { tool: plain }, { do: "find_out", fact: "input" }],
  [
    "a wrong input",
    {},
    { tool: plain, input: { ok: false, problems: ["p"] } },
    { do: "refuse_input", problems: ["p"] },
  ],
  ["the hooks", {}, { tool: plain, input: valid }, { do: "find_out", fact: "screened" }],
  [
    "a hook's no",
    {},
    { tool: plain, input: valid, screened: { do: "deny", why: "h" } },
    { do: "refuse", why: "h" },
  ],
  [
    "a run",
    {},
    { tool: plain, input: valid, screened: agreed },
    { do: "run", input: { a: 2 }, answer: undefined },
  ],
  [
    "its tool's question",
    {},
    { tool: asking, input: valid, screened: agreed },
    { do: "ask_for_tool", input: { a: 2 } },
  ],
  [
    "an answer, and no hook again",
    own as never,
    { tool: asking, input: valid },
    { do: "find_out", fact: "answer" },
  ],
  [
    "an answer as the result",
    own as never,
    { tool: asking, input: valid, answer: { ok: true, value: "yes" } },
    { do: "take_answer", answer: "yes" },
  ],
  ["a page's result", own as never, { tool: page, input: valid }, { do: "take_page_result" }],
  [
    "a tool that asked before",
    own as never,
    { tool: plain, input: valid },
    { do: "find_out", fact: "asked" },
  ],
  [
    "a question nobody asks now",
    own as never,
    { tool: plain, input: valid, asked: true },
    { do: "refuse_unasked" },
  ],
  ["a started call, without hooks", { started: {} } as never, { tool: plain, input: valid }, { do: "run" }],
])("L6 T5 the steps of a call come in order: %s", (_, state, facts, step) => {
  expect(decideCall(call(state), facts)).toMatchObject(step);
});
