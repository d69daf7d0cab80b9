import { scriptedModel } from "@pawl/testing";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { agent, memoryStore, runtime } from "../../src/index.ts";
import { countedPrompt, estimatedPrompt } from "../../src/session/counted-prompt.ts";
import { type KindOfText, kindsOfText, textOfKind } from "../support/kinds-of-text.ts";

/**
 * Has a conversation in which each message is of one kind of text. The API counts as a real tokenizer does.
 * Returns the estimate of each prompt as a share of its true count.
 */
async function estimates(messages: readonly string[]): Promise<number[]> {
  const truth: number[] = [];
  const model = scriptedModel(({ system, messages: sent }) => {
    const texts = [...system, ...sent.flatMap(({ content }) => content)].map(({ text }) => String(text));
    const tokens = countTokens(texts.join("\n")) + 4 * sent.length;
    truth.push(tokens);
    return { text: "Ok.", usage: { input_tokens: tokens } };
  });
  const store = memoryStore();
  const reader = agent({ name: "reader", model, instructions: "You read what you are sent." });
  const pawl = runtime({ agents: [reader], store });
  let sessionId: string | undefined;
  for (const input of messages) {
    const id: { sessionId?: string } = sessionId === undefined ? {} : { sessionId };
    sessionId = (await pawl.run(reader, { userId: "ada", input, ...id }).result).sessionId;
  }
  const log = await Array.fromAsync(store.read(sessionId ?? ""));
  const logged = log.flatMap((event) => (event.type === "llm_request" ? [event.data.estimated_tokens] : []));
  return logged.map((tokens, index) => tokens / (truth[index] ?? Number.NaN));
}

/** Messages of different lengths, from 300 to 3,000 characters. */
function messagesOf(kind: KindOfText, count: number, seed: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    textOfKind(kind, 300 + ((n * 7 + seed) % 10) * 300, seed + n),
  );
}

describe("the estimate of a prompt", () => {
  it.each(kindsOfText)("B2 is within 15 %% of the true count after the first answer: %s", async (kind) => {
    for (const share of (await estimates(messagesOf(kind, 12, 1))).slice(1))
      expect(Math.abs(share - 1)).toBeLessThanOrEqual(0.15);
  });

  it.each(kindsOfText.flatMap((from) => kindsOfText.map((to) => [from, to] as const)))(
    "B2 is never more than 15 %% below it twice after a change: %s, then %s",
    async (from, to) => {
      const shares = await estimates([...messagesOf(from, 4, 2), ...messagesOf(to, 5, 3)]);
      expect(shares.slice(1).filter((share) => share < 0.85).length).toBeLessThanOrEqual(1);
    },
  );
});

describe("a count that cannot be true", () => {
  const quarter = (chars: number) => Math.ceil(chars / 4);
  it.each([
    ["far too many tokens", 1e12, 4_000],
    ["far too few", 1, 63],
    ["none", 0, 250],
    ["not a number", Number.NaN, 250],
  ])("B2 is bounded: %s", async (_, tokens, most) => {
    const counted = countedPrompt(undefined, { model: "m", chars: 1_000, tokens });
    const { estimateTokens } = await import("../../src/model/estimate.ts");
    expect(quarter(1_000)).toBe(250);
    expect(estimatedPrompt(counted, { model: "m", chars: 1_000 }, estimateTokens)).toBe(most);
  });

  it("B2 an agent's own estimate is used as it is", () => {
    const counted = countedPrompt(undefined, { model: "m", chars: 1_000, tokens: 900 });
    expect(estimatedPrompt(counted, { model: "m", chars: 1_000 }, (chars) => chars / 2)).toBe(500);
  });

  it("B2 another model's count raises the estimate and does not lower it", async () => {
    const { estimateTokens } = await import("../../src/model/estimate.ts");
    const estimate = (tokens: number) => {
      const counted = countedPrompt(undefined, { model: "other", chars: 1_000, tokens });
      return estimatedPrompt(counted, { model: "m", chars: 1_000 }, estimateTokens);
    };
    expect([estimate(900), estimate(100)]).toEqual([900, 250]);
  });
});
