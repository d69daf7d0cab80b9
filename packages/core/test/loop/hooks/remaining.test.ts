import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type Budget, jsonSchema, type Limits, memoryStore } from "../../../src/index.ts";
import { named } from "../../support/hooks.ts";
import { pricing } from "../../support/pricing.ts";
import { setup } from "../../support/setup.ts";
import { calling, echo } from "../../support/tools.ts";

describe("L13 L4 the limits in a hook", () => {
  it("are the agent's, and what is left of them counts the run's legs and the session", async () => {
    const seen: Budget[] = [];
    let limits: Readonly<Limits> | undefined;
    const hook = named("sees", {
      beforeTurn: (_plan, context) => {
        ({ limits } = context);
        seen.push(context.remaining());
        return undefined;
      },
      afterRun: (_result, context) => void seen.push(context.remaining()),
    });
    const options = {
      tools: [echo().tool],
      hooks: [hook],
      limits: { turns: 5, toolCalls: 4, toolFailures: 7, costUsd: 1 },
      sessionLimits: { turns: 6 },
    };
    const script = [{ tools: [calling("echo", "a")] }, { text: "Ok." }];
    const world = setup([...script, { text: "Ok." }], options, {}, (model) => ({ ...model, pricing }));
    const { sessionId, usage, costUsd } = await world.say("Go");
    expect(limits).toMatchObject({ turns: 5, toolCalls: 4, toolFailures: 7, errorTurns: 2, costUsd: 1 });
    expect(seen.map(({ turns, toolCalls }) => [turns, toolCalls])).toEqual([
      [5, 4],
      [4, 3],
      [3, 3],
    ]);
    const last = seen.at(-1);
    expect(last?.costUsd).toBeCloseTo(1 - costUsd, 9);
    expect(costUsd).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(last?.outputTokens).toBe(Number.POSITIVE_INFINITY);
    expect(seen.every(({ wallClockMs }) => wallClockMs > 290_000 && wallClockMs <= 300_000)).toBe(true);
    await world.say("Again", { sessionId });
    // Two of the session's six turns are used.
    expect(seen[3]?.turns).toBe(4);
  });

  it("count the time of this leg, and of those before it, but no waiting", async () => {
    const clock = testClock();
    const left: number[] = [];
    const asks = named("asks", {
      beforeRun: async ({ answer, remaining }) => {
        if (answer === undefined) await clock.advance(60);
        left.push(remaining().wallClockMs);
        if (answer !== undefined) return undefined;
        return { ask: { kind: "go", payload: {}, answer: jsonSchema({ type: "string" }) } };
      },
    });
    const options = { hooks: [asks], limits: { wallClockMs: 10_000 } };
    const world = setup([{ text: "Ok." }], options, {
      testing: { clock },
      store: memoryStore({ now: clock.now }),
    });
    const { sessionId, pending } = await world.say("Go");
    await clock.advance(200);
    await world.answer(sessionId, pending[0]?.callId ?? "", "yes");
    expect(left).toEqual([9_940, 9_940]);
  });
});
