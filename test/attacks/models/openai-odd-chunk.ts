import { tool } from "@pawl/core";
import * as z from "zod";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { overOpenAI, runOnce, servedBy, streamed } from "../parts/served-model.ts";

const it = tool({ name: "it", description: "Does it.", input: z.object({}), execute: () => "done" });
const call = (made: object) => ({ tool_calls: [{ index: 0, id: "call_123456789", function: made }] });

export const attack: Attack = {
  id: "attacks-22",
  title: "An odd chunk of Chat Completions ends a run with an error that misleads, or without one",
  state: "held",
  guard: {
    file: "test/odd-answers.test.ts",
    title: "ends a run well or with a typed error where one part of an answer of %s is odd",
  },
  attempt: () =>
    brokenByAny({
      "content is an object": () => sent({ content: { a: 1 } }),
      "content is a number": () => sent({ content: 5 }),
      "arguments are a number": () => sent(call({ name: "it", arguments: 5 }), "tool_calls"),
      "calls are an object": () => sent({ tool_calls: {} }, "tool_calls"),
      "a name is a number": () => sent(call({ name: 5, arguments: "{}" }), "tool_calls"),
      "the reason is unknown": () => sent({ content: "x" }, "weird"),
      "no call although the reason is calls": () => sent({ content: "x" }, "tool_calls"),
    }),
};

/** An answer of one chunk with this delta, and one with this reason. */
async function sent(delta: object, reason = "stop"): Promise<string> {
  const chunk = (choice: object) => ({
    id: "c",
    model: "gpt-5",
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  });
  const model = overOpenAI(
    servedBy(() => streamed([chunk({ delta }), chunk({ finish_reason: reason }), "[DONE]"])),
  );
  const { result, errors } = await runOnce(model, { tools: [it] });
  const reported = errors.length === 0 ? "onError was not called" : String(errors[0]).slice(0, 90);
  const misleads = /is not a function|is not iterable|Cannot read properties|estimateTokens/.test(reported);
  const isSilent = result.stop.type === "error" && errors.length === 0;
  return brokenIf(misleads || isSilent, `${result.stop.type}, ${reported}`);
}
