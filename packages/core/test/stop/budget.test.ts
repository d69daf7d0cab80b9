import { describe, expect, it } from "vitest";
import type { Pricing } from "../../src/index.ts";
import { addSpent, type Budget, nothingSpent, unlimited } from "../../src/log/budget.ts";
import { newSessionState } from "../../src/session/new-state.ts";
import type { RunState } from "../../src/session/state.ts";
import { limitReached, limitStop, type Remaining, remainingOf, spentOf } from "../../src/stop/limits.ts";
import { type PlannedCall, roomFor } from "../../src/stop/room.ts";

const leftWith = (limits: Partial<Budget>, sessionLimits: Partial<Budget> = {}): Remaining =>
  remainingOf(
    newSessionState("s"),
    { limits: { ...unlimited, ...limits }, sessionLimits: { ...unlimited, ...sessionLimits } },
    0,
  );

describe("what is left", () => {
  it("L3 L4 L13 O1 counts what the run has folded, and the time of the leg at work", () => {
    const usage = { inputTokens: 1, cacheWriteTokens: 2, cacheReadTokens: 4, outputTokens: 8 };
    const run = { turns: 2, work: { ms: 30 }, calls: [{}, {}, {}], usage, costUsd: 0.5 };
    expect(spentOf(run as unknown as RunState, 12)).toEqual({
      turns: 2,
      wallClockMs: 42,
      toolCalls: 3,
      inputTokens: 7,
      outputTokens: 8,
      costUsd: 0.5,
    });
  });

  it("L3 adds up what runs have used", () => {
    const one: Budget = {
      turns: 1,
      wallClockMs: 2,
      toolCalls: 3,
      inputTokens: 4,
      outputTokens: 5,
      costUsd: 6,
    };
    expect(addSpent(one, { ...one, turns: 10 })).toEqual({
      turns: 11,
      wallClockMs: 4,
      toolCalls: 6,
      inputTokens: 8,
      outputTokens: 10,
      costUsd: 12,
    });
  });

  it.each<[keyof Budget, number, string, string]>([
    ["turns", 0, "turn_limit", "the limit of 0 steps"],
    ["wallClockMs", 0, "deadline", "the time limit of 0 s"],
    ["toolCalls", -1, "tool_call_limit", "the limit of -1 tool calls"],
    ["inputTokens", 0, "token_limit", "the limit on text that I can read"],
    ["outputTokens", 0, "token_limit", "the limit on text that I can write"],
    ["costUsd", 0, "cost_limit", "the cost limit"],
  ])("L3 stops when %s have come down to %d, and says so", (resource, last, type, words) => {
    const message = `I stopped here: ${words} for one request is reached.`;
    expect(limitReached(leftWith({ [resource]: last }))).toEqual({ type, message });
    expect(limitReached(leftWith({ [resource]: last + 1 }))).toBeUndefined();
    expect(limitReached(leftWith({}, { [resource]: last }))?.message).toContain("for one conversation");
    expect(limitReached(leftWith({ [resource]: 3 }), { [resource]: 3 })?.type).toBe(type);
    expect(limitReached(leftWith({ [resource]: 4 }), { [resource]: 3 })).toBeUndefined();
  });

  it("L3 counts what a session has used once, for a run to come", () => {
    const state = { ...newSessionState("s"), spent: { ...nothingSpent, turns: 3 } };
    const limits = { ...unlimited, turns: 4 };
    expect(remainingOf(state, { limits, sessionLimits: unlimited }, 0).amounts.turns).toBe(4);
    expect(remainingOf(state, { limits, sessionLimits: { ...unlimited, turns: 5 } }, 0).amounts.turns).toBe(
      2,
    );
  });

  it("L3 names the limit that is nearer, and the request's if both are equally near", () => {
    const message = (limits: Partial<Budget>, sessionLimits: Partial<Budget>) =>
      limitStop(leftWith(limits, sessionLimits), "toolCalls").message;
    expect(message({ toolCalls: 5 }, { toolCalls: 5 })).toContain("of 5 tool calls for one request");
    expect(message({ toolCalls: 5 }, { toolCalls: 6 })).toContain("of 5 tool calls for one request");
    expect(message({ toolCalls: 5 }, { toolCalls: 4 })).toContain("of 4 tool calls for one conversation");
    expect(leftWith({ toolCalls: 5 }, { toolCalls: 4 }).amounts.toolCalls).toBe(4);
    expect(limitStop(leftWith({ wallClockMs: 1_540 }), "wallClockMs").message).toContain("1.5 s");
  });
});

describe("room for an answer", () => {
  /** A token of the answer costs a cent, the prompt nothing. */
  const free: Pricing = { input: 0, output: 10_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const room = (limits: Partial<Budget>, call: Partial<PlannedCall> = {}, keepLast = false) => {
    const planned = { estimatedTokens: 1_000, maxTokens: 2_000, pricing: undefined, ...call };
    const found = roomFor(leftWith(limits), planned, keepLast);
    return "type" in found ? found.type : found.maxTokens;
  };

  it("L3 is what was asked for, or what is left, or none below 256 tokens", () => {
    expect(room({})).toBe(2_000);
    expect([room({ inputTokens: 1_000 }), room({ inputTokens: 999 })]).toEqual([2_000, "token_limit"]);
    expect([room({ outputTokens: 256 }), room({ outputTokens: 255 })]).toEqual([256, "token_limit"]);
    const short = { maxTokens: 100 };
    expect([room({ outputTokens: 100 }, short), room({ outputTokens: 99 }, short)]).toEqual([
      100,
      "token_limit",
    ]);
  });

  it("L3 leaves a prompt half as long again and an answer of 1024 tokens for a last turn", () => {
    const last = (limits: Partial<Budget>, call: Partial<PlannedCall> = {}) => room(limits, call, true);
    expect([last({ inputTokens: 2_500 }), last({ inputTokens: 2_499 })]).toEqual([2_000, "token_limit"]);
    const odd = { estimatedTokens: 1_001 };
    expect([last({ inputTokens: 2_503 }, odd), last({ inputTokens: 2_502 }, odd)]).toEqual([
      2_000,
      "token_limit",
    ]);
    expect([last({ outputTokens: 1_280 }), last({ outputTokens: 1_279 })]).toEqual([256, "token_limit"]);
    const short = { maxTokens: 100 };
    expect([last({ outputTokens: 200 }, short), last({ outputTokens: 199 }, short)]).toEqual([
      100,
      "token_limit",
    ]);
    const pricing = { ...free, input: 10 };
    expect([last({ costUsd: 12.825 }, { pricing }), last({ costUsd: 12.824 }, { pricing })]).toEqual([
      256,
      "cost_limit",
    ]);
  });

  it.each<[string, Partial<Budget>, Partial<PlannedCall>, string]>([
    [
      "no room for a prompt",
      { inputTokens: 999 },
      {},
      "the limit on text that I can read for one request leaves no room for another answer",
    ],
    [
      "no room for an answer",
      { outputTokens: 255 },
      {},
      "the limit on text that I can write for one request leaves no room for another answer",
    ],
    [
      "no money for an answer",
      { costUsd: 2.55 },
      { pricing: free },
      "the cost limit for one request leaves no room for another answer",
    ],
    [
      "a model without a price",
      { costUsd: 1 },
      {},
      "the cost limit for one request cannot be kept, because this model has no price",
    ],
  ])("L3 O1 says that there is %s, and not that the limit is reached", (_, limits, call, words) => {
    const planned = { estimatedTokens: 1_000, maxTokens: 2_000, pricing: undefined, ...call };
    expect(roomFor(leftWith(limits), planned, false)).toMatchObject({
      message: `I stopped here: ${words}.`,
    });
  });

  it("O1 O2 is what can be paid beside a prompt at its highest price", () => {
    expect(room({ costUsd: 3.005 }, { pricing: free })).toBe(300);
    expect([2.56, 2.55].map((costUsd) => room({ costUsd }, { pricing: free }))).toEqual([256, "cost_limit"]);
    expect(room({ costUsd: 10, outputTokens: 400 }, { pricing: free })).toBe(400);
    expect(room({ costUsd: 10, outputTokens: 5_000 }, { pricing: free })).toBe(1_000);
    for (const price of ["input", "cacheWrite5m", "cacheWrite1h"]) {
      const call = { pricing: { ...free, [price]: 10 } };
      expect([room({ costUsd: 2.57 }, call), room({ costUsd: 2.56 }, call)]).toEqual([256, "cost_limit"]);
    }
    const prompt = { pricing: { ...free, input: 10, output: 0 } };
    expect([room({ costUsd: 0.01 }, prompt), room({ costUsd: 0.005 }, prompt)]).toEqual([
      2_000,
      "cost_limit",
    ]);
  });

  it("L3 is a whole number, whatever the limits are", () => {
    expect(room({ outputTokens: 333.3 })).toBe(333);
    expect(room({ outputTokens: 2_000.9 }, {}, true)).toBe(976);
  });

  it("O1 takes the price of a long prompt above its bound only", () => {
    const pricing = { ...free, longPrompt: { ...free, output: 20_000, above: 1_000 } };
    const paid = (estimatedTokens: number) => room({ costUsd: 10 }, { pricing, estimatedTokens });
    expect([paid(1_000), paid(1_001)]).toEqual([1_000, 500]);
  });
});
