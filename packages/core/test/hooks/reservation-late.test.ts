import { testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { memoryReservations, PawlError, type RunContext, type TurnPlan } from "../../src/index.ts";
import type { Reservations } from "../../src/store.ts";
import { budget } from "../support/budget.ts";
import { setup } from "../support/setup.ts";

it("E10 L4 a grant that comes after the run has ended is given back at once", async () => {
  const inner = memoryReservations();
  const over = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const granted = Promise.withResolvers<void>();
  const reservations: Reservations = {
    ...inner,
    reserve: async (request) => {
      asked.resolve();
      await over.promise;
      const answer = await inner.reserve(request);
      granted.resolve();
      return answer;
    },
  };
  const { hook, balance } = budget({ reservations });
  const clock = testClock();
  const world = setup([], { hooks: [hook], limits: { wallClockMs: 20 } }, { testing: { clock } });
  const result = world.say("Go");
  await asked.promise;
  // The limit, and then the time in which work may end.
  await clock.advance(20 + 20);
  expect((await result).stop.type).toBe("deadline");
  over.resolve();
  await granted.promise;
  await expect.poll(balance).toEqual({ used: 0, held: 0 });
});

it.each(["fenced", "draining"] as const)(
  "E10 a grant that comes after another leg has taken the run over stays: %s",
  async (code) => {
    const inner = memoryReservations();
    const late = Promise.withResolvers<void>();
    let asked = 0;
    const reservations: Reservations = {
      ...inner,
      reserve: async (request) => {
        const answer = await inner.reserve(request);
        asked += 1;
        if (asked === 1) await late.promise;
        return answer;
      },
    };
    const { hook, balance } = budget({ reservations });
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const turnOf = async ({ signal }: AbortController) => {
      const context = { sessionId: "s", runId: "r", userId: "u1", run: { usage, costUsd: 0 }, signal };
      return await hook.beforeTurn?.({} as TurnPlan, context as unknown as RunContext<unknown>);
    };
    const [first, next] = [new AbortController(), new AbortController()];
    const abandoned = turnOf(first);
    await expect.poll(() => asked).toBe(1);
    first.abort(new PawlError(code, "Another leg goes on."));
    expect(await turnOf(next)).toBeUndefined();
    const { held } = await balance();
    late.resolve();
    await abandoned;
    expect(await balance()).toEqual({ used: 0, held });
    expect(held).toBeGreaterThan(0);
    next.abort();
  },
);
