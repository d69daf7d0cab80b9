import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { answering, type ModelClient, withRetry } from "../../src/index.ts";
import { pricing } from "../support/pricing.ts";
import { type Options, setup } from "../support/setup.ts";

describe("attempts and hooks", () => {
  const cut = (text: string): Reply => ({ text, fault: { cut: 6 } });

  it("L4 O1 makes no further attempt for which no room is left, and charges the one that failed once", async () => {
    const half = "one two three four five six seven eight nine ten";
    const world = setup(
      [cut(half), cut(half), { text: "never" }],
      { limits: { outputTokens: 300 }, maxTokens: 300 },
      {},
      (model) => withRetry(model, { retries: 5, baseMs: 0 }),
    );
    const result = await world.say("Go");
    expect(result.stop.type).toBe("token_limit");
    expect(world.model.requests).toHaveLength(1);
    expect(await world.of(result.sessionId, "llm_response")).toHaveLength(1);
    expect(await world.of(result.sessionId, "assistant_message")).toEqual([]);
    const errors = await world.of(result.sessionId, "error");
    expect(errors.map(({ data }) => data.code)).toEqual(["model_error", "token_limit"]);
    const free = setup(
      [{ fault: { status: 529 } }, { text: "Fine." }],
      { limits: { outputTokens: 300 }, maxTokens: 300 },
      {},
      (model) => withRetry(model, { retries: 5, baseMs: 0 }),
    );
    expect((await free.say("Go")).text).toBe("Fine.");
  });

  it("O1 keeps the cost limit where a hook chooses a model without prices, and an answer of its own is free", async () => {
    const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });
    const { pricing: _, ...unpriced } = setup([{ text: "never" }]).model;
    const options = (model: ModelClient): Options => ({
      limits: { costUsd: 0.05 },
      hooks: [{ name: "chooses", beforeTurn: () => ({ model }) }],
    });
    expect((await setup([], options(unpriced), {}, priced).say("Go")).stop.type).toBe("cost_limit");
    expect((await setup([], options(answering("Free.")), {}, priced).say("Go")).text).toBe("Free.");
  });
});
