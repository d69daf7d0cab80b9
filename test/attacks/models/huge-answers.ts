import { tool } from "@pawl/core";
import * as z from "zod";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { answerOf, overClaude, runOnce, servedBy, streamed } from "../parts/served-model.ts";
import { standstill, threadMs } from "../parts/standstill.ts";

const save = tool({
  name: "save",
  description: "Saves.",
  input: z.object({ v: z.string() }),
  execute: ({ v }) => v.length,
});
const limits = { outputTokens: Number.POSITIVE_INFINITY, costUsd: Number.POSITIVE_INFINITY };

export const attack: Attack = {
  id: "huge-answers",
  title: "A long answer, input or number of pieces takes more than linear time",
  state: "held",
  guard: {
    file: "packages/anthropic/test/long-answers.test.ts",
    title: "that is four times as long takes no sixteen times the time",
  },
  attempt: () =>
    brokenByAny({
      text: () => twice((n) => answerOf({ type: "text", text: "" }, textsOf(50, 2_000_000 * n))),
      pieces: () => twice((n) => answerOf({ type: "text", text: "" }, textsOf(40_000 * n, 80_000 * n))),
      input: () =>
        twice((n) => {
          const json = JSON.stringify({ v: "w".repeat(2_000_000 * n) });
          const pieces = json.match(/.{1,50000}/gs) ?? [];
          const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
          return answerOf({ type: "tool_use", id: "toolu_1", name: "save", input: {} }, deltas, "tool_use");
        }),
    }),
};

/** Deltas with so many characters in all. */
const textsOf = (count: number, characters: number) =>
  Array(count).fill({ type: "text_delta", text: "q".repeat(characters / count) });

/** Compares an answer with one of twice its size. */
async function twice(answer: (n: number) => object[]): Promise<string> {
  const once = await cost(answer(1));
  const more = await cost(answer(2));
  const times = Math.round((10 * more.ms) / once.ms) / 10;
  const seen = `${times} times the time for twice the size, ${more.longestMs} ms at a stretch`;
  return brokenIf((times > 3.5 && more.ms > 300) || more.longestMs > 1_000, seen);
}

async function cost(answer: object[]): Promise<{ ms: number; longestMs: number }> {
  const last = answerOf({ type: "text", text: "" }, [{ type: "text_delta", text: "Fine." }]);
  const model = overClaude(servedBy((_, n) => streamed(n === 0 ? answer : last)));
  const begun = threadMs();
  const { value, longestMs } = await standstill(() =>
    runOnce(model, { limits, tools: [save], maxTokens: 10_000_000 }),
  );
  if (value.result.stop.type !== "end_turn") throw new Error(JSON.stringify(value.result.stop));
  return { ms: threadMs() - begun, longestMs };
}
