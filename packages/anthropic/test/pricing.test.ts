import { claude, pricingOf } from "@pawl/anthropic";
import { costUsd } from "@pawl/core";
import { currentModels } from "@pawl/testing";
import { expect, it } from "vitest";

const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };

it("O1 knows a price for every current model, except one that has none published", () => {
  const without = Object.keys(currentModels).filter((id) => pricingOf(id) === undefined);
  expect(without).toEqual(["claude-mythos-5-1"]);
});

it("O1 prices cached reads and both kinds of write apart", () => {
  const pricing = pricingOf("claude-sonnet-5-5")!;
  const cached = { ...usage, cacheReadTokens: 1000, cacheWriteTokens: 1000, cacheWrite1hTokens: 400 };
  expect(costUsd(cached, pricing)).toBe((2000 + 1000 + 100 + 600 * 2.5 + 400 * 4) / 1e6);
});

it("O1 prices a long prompt of haiku by the whole prompt, cached part included", () => {
  const pricing = pricingOf("claude-haiku-5-5")!;
  expect(costUsd(usage, pricing)).toBeCloseTo((1000 * 0.1 + 100 * 0.5) / 1e6, 8);
  const long = { ...usage, cacheReadTokens: 99_001 };
  expect(costUsd(long, pricing)).toBeCloseTo((1000 * 0.5 + 100 * 2.5 + 99_001 * 0.05) / 1e6, 8);
});

it("knows dated ids, and no unknown ones", () => {
  expect(pricingOf("claude-haiku-4-5-20251001")?.input).toBe(1);
  expect(pricingOf("claude-9")).toBeUndefined();
  expect(pricingOf("toString")).toBeUndefined();
  expect(claude("claude-9", { apiKey: "k" })).not.toHaveProperty("pricing");
});

it("O1 takes a price table of your own", () => {
  const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
  expect(claude("claude-sonnet-5-5", { apiKey: "k", pricing }).pricing).toBe(pricing);
});
