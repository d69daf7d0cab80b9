import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { answerOf, overClaude, runOnce, servedBy, streamed } from "../parts/served-model.ts";

const LIMIT = 1_000;

export const attack: Attack = {
  id: "ignored-max-tokens",
  title: "A server that ignores max_tokens writes more than the run's limits",
  state: "held",
  guard: {
    file: "packages/core/test/loop/turn/overlong-answers.test.ts",
    title: "is cut while it streams, and the run ends by %s",
  },
  attempt: () =>
    brokenByAny({
      tokens: () => written({ outputTokens: LIMIT }),
      money: () => written({ costUsd: 0.015 }),
    }),
};

/** An answer of 400,000 words, with a usage that says so. */
async function written(limits: { outputTokens?: number; costUsd?: number }): Promise<string> {
  const delta = { type: "text_delta", text: "word ".repeat(200) };
  const answer = answerOf({ type: "text", text: "" }, Array(2_000).fill(delta));
  const model = overClaude(servedBy(() => streamed(answer)));
  const { result } = await runOnce(model, { limits });
  const { outputTokens } = result.usage;
  return brokenIf(
    outputTokens > 1.5 * LIMIT,
    `${outputTokens} of ${LIMIT} tokens, ended as ${result.stop.type}`,
  );
}
