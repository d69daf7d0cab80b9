import { PawlError } from "@pawl/core";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { answerOf, overClaude, runOnce, servedBy, streamed } from "../parts/served-model.ts";

const usual = answerOf({ type: "text", text: "" }, [{ type: "text_delta", text: "Hi." }]);
const failing = (message: unknown, status = 401) =>
  Response.json({ type: "error", error: { type: "authentication_error", message } }, { status });

export const attack: Attack = {
  id: "attacks-10",
  title: "An odd answer of a gateway of the Messages API ends a run as a bare TypeError",
  state: "held",
  guard: {
    file: "test/odd-answers.test.ts",
    title: "ends a run well or with a typed error where one part of an answer of %s is odd",
  },
  attempt: () =>
    brokenByAny({
      "message of a 401 is an object": () => answered(() => failing({ reason: "no" })),
      "message of a 404 is a number": () => answered(() => failing(5, 404)),
      "message is null": () => answered(() => streamed([{ type: "message_start", message: null }])),
      "content_block is null": () =>
        answered(() =>
          streamed(usual.with(1, { type: "content_block_start", index: 0, content_block: null })),
        ),
      "delta is null": () =>
        answered(() => streamed(usual.with(2, { type: "content_block_delta", index: 0, delta: null }))),
    }),
};

async function answered(answer: () => Response): Promise<string> {
  const { result, errors } = await runOnce(overClaude(servedBy(answer)));
  const [error] = errors;
  const seen = `${result.stop.type}, ${String(error).slice(0, 90)}`;
  const isBare = /is not a function|Cannot read properties|is not iterable/.test(String(error));
  return brokenIf(isBare || (result.stop.type === "error" && !(error instanceof PawlError)), seen);
}
