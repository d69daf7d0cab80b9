import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { microsFromUsd, subtractUsd, usdFromMicros } from "../../src/base/usd.ts";
import { applyEvent } from "../../src/fold/apply.ts";
import {
  centsFromUsd,
  costUsd,
  memoryStore,
  type RunState,
  type StoredEvent,
  usdFromCents,
} from "../../src/index.ts";
import { sumOf } from "../../src/inspect.ts";
import { unlimited } from "../../src/log/budget.ts";
import { patchOf } from "../../src/log/store/row-patch.ts";
import { budgetOf, storedBudget } from "../../src/log/stored-budget.ts";
import { newSessionState } from "../../src/session/new-state.ts";
import { resultOf } from "../../src/session/run-result.ts";
import { limitReached, remainingOf } from "../../src/stop/limits.ts";
import { addUsd, type NewEvent } from "../../src/store.ts";

/** Amounts in whole billionths of a dollar, up to a hundred dollars. */
const amounts = fc.array(fc.integer({ min: 0, max: 100_000_000_000 }), { minLength: 1, maxLength: 30 });
const total = (nanos: readonly number[]) => nanos.reduce((sum, one) => sum + one, 0);
const tokens = { prompt: 0, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 0 };
const begin: NewEvent = { type: "run_started", data: { run_id: "r", agent: "a", agent_version: "1" } };
const spending = (nanos: number): NewEvent => ({
  type: "spending",
  data: { by: "b", model: "m", tokens, cost_cents: nanos / 1e7 },
});

describe("O1 money in US dollars", () => {
  it("has no rounding errors where binary fractions have them", () => {
    expect(addUsd(0.1, 0.2)).toBe(0.3);
    expect(subtractUsd(0.3, 0.1)).toBe(0.2);
    expect([0.7, 0.1, 0.1, 0.1].reduce(addUsd, 0)).toBe(1);
    expect(addUsd(Number.POSITIVE_INFINITY, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(subtractUsd(Number.POSITIVE_INFINITY, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("adds up to the sum of the integers, in any order, and takes away again", () => {
    fc.assert(
      fc.property(amounts, (nanos) => {
        const dollars = nanos.map((one) => one / 1e9);
        const sum = total(nanos) / 1e9;
        expect(dollars.reduce(addUsd, 0)).toBe(sum);
        expect(dollars.toReversed().reduce(addUsd, 0)).toBe(sum);
        expect(dollars.reduce(subtractUsd, sum)).toBe(0);
      }),
    );
  });

  it("is the same after it was stored in cents, and counted in millionths", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e15 }), (nanos) => {
        const usd = nanos / 1e9;
        expect(centsFromUsd(usd)).toBe(nanos / 1e7);
        expect(usdFromCents(nanos / 1e7)).toBe(usd);
        expect(usdFromCents(centsFromUsd(usd))).toBe(usd);
        expect(usdFromMicros(microsFromUsd(usd))).toBe(usd);
      }),
    );
  });

  it("E4 comes out of the log as the sum of its integers, in the run, its result, its row and its timeline", async () => {
    await fc.assert(
      fc.asyncProperty(amounts, async (nanos) => {
        const store = memoryStore();
        await store.sessions.create({ id: "s", userId: "u", agent: "a" });
        const events = [begin, ...nanos.map(spending)];
        const stored: StoredEvent[] = [];
        for (const [at, event] of events.entries())
          stored.push(
            ...(await store.append("s", [event], { appendId: `${at}`, session: patchOf([event]) })),
          );
        const state = newSessionState("s");
        for (const event of stored) applyEvent(state, event);
        const sum = total(nanos) / 1e9;
        expect((state.run as RunState).costUsd).toBe(sum);
        expect(resultOf(state).costUsd).toBe(sum);
        expect((await store.sessions.get("s"))?.costUsd).toBe(sum);
        expect(patchOf(events).addCostUsd).toBe(sum);
        expect(sumOf(nanos.map((one) => ({ tokens, costUsd: one / 1e9 }))).costUsd).toBe(sum);
      }),
      { numRuns: 30 },
    );
  });

  it("L3 O2 reaches a limit with the last cent, neither before nor after", () => {
    const spent = (cents: readonly number[]) => {
      const state = newSessionState("s");
      const events = [begin, ...cents.map((one) => spending(one * 1e7))];
      for (const [at, event] of events.entries())
        applyEvent(state, { ...event, sessionId: "s", seq: at + 1, v: 1, at: "" } as StoredEvent);
      return remainingOf(state, { limits: { ...unlimited, costUsd: 0.3 }, sessionLimits: unlimited }, 0);
    };
    expect(spent([10, 20]).amounts.costUsd).toBe(0);
    expect(limitReached(spent([10, 20]))?.type).toBe("cost_limit");
    expect(spent([10, 19.9999999]).amounts.costUsd).toBe(0.000000001);
    expect(limitReached(spent([10, 19.9999999]))).toBeUndefined();
  });

  it("is what an answer costs, exact at prices of up to three decimals per million tokens", () => {
    fc.assert(
      fc.property(
        fc.record({
          price: fc.integer({ min: 0, max: 100_000 }),
          count: fc.integer({ min: 0, max: 1_000_000 }),
        }),
        ({ price, count }) => {
          const each = price / 1e3;
          const pricing = {
            input: each,
            output: each,
            cacheRead: each,
            cacheWrite5m: each,
            cacheWrite1h: each,
          };
          const usage = { inputTokens: count, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
          expect(costUsd(usage, pricing)).toBe((price * count) / 1e9);
        },
      ),
    );
  });

  it("L13 is in cents in the slice of a stored task, and in dollars when it is read", () => {
    expect(storedBudget({ turns: 2, costUsd: 0.3 })).toEqual({ turns: 2, costCents: 30 });
    expect(budgetOf({ turns: 2, costCents: 30 })).toEqual({ turns: 2, costUsd: 0.3 });
    expect([storedBudget({ turns: 2 }), budgetOf({ turns: 2 })]).toEqual([{ turns: 2 }, { turns: 2 }]);
  });
});
