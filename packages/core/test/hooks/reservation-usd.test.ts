import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import {
  agent,
  agentTool,
  type ModelClient,
  memoryReservations,
  PawlError,
  reservation,
  resilient,
  withFallback,
} from "../../src/index.ts";
import { balanceUsd } from "../../src/store.ts";
import { budget, IN_USD } from "../support/budget.ts";
import { setup } from "../support/setup.ts";
import { calling, echo } from "../support/tools.ts";

const pricing = { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 };
const account = { reservations: memoryReservations(), account: "u" };

describe("reservation() in US dollars", () => {
  it("E10 charges what the model's prices come to", async () => {
    const { hook, reservations } = budget({ amountUsd: 0.05, limitUsd: 0.06 });
    const script = [{ tools: [calling("echo")] }, { text: "Ok." }];
    const world = setup({ script, pricing }, { tools: [echo().tool], hooks: [hook] });
    const { costUsd } = await world.say("Go");
    expect(costUsd).toBeGreaterThan(0);
    const usedUsd = Math.round(costUsd * 1e6) / 1e6;
    expect(await balanceUsd(reservations, "u1")).toEqual({ usedUsd, heldUsd: 0 });
  });

  it.each([
    [200_000, "end_turn"],
    [200_001, "quota_exceeded"],
  ])("E10 has 0.1 left of 0.3 where %i millionths are held: %s", async (held, stop) => {
    const { hook, reservations } = budget({ amountUsd: 0.1, limitUsd: async () => 0.3 });
    await reservations.reserve({ account: "u1", id: "other", amount: held, limit: 300_000 });
    const world = setup({ script: [{ text: "Ok." }], pricing }, { hooks: [hook] });
    expect((await world.say("Go")).stop.type).toBe(stop);
  });

  it.each<[object, RegExp]>([
    [{}, /`limit` and `amount` in tokens, or `limitUsd` and `amountUsd` in US dollars; got none of them/],
    [{ limitUsd: 1 }, /got limitUsd\./],
    [{ limit: 10, amountUsd: 1 }, /got limit, amountUsd\./],
    [{ limit: 10, amount: 5, amountUsd: 1 }, /got limit, amount, amountUsd\./],
    [{ limit: 10, amount: 5, unit: "microUsd" }, /no option "unit"/],
    [{ limitUsd: Number.NaN, amountUsd: 1 }, /limitUsd of reservation\(\) must be a number from 0/],
    [{ limitUsd: 1, amountUsd: -1 }, /amountUsd of reservation\(\) must be a number from 0/],
  ])("E10 refuses %j", (numbers, message) => {
    const make = () => reservation({ ...account, ...numbers } as never);
    expect(make).toThrow(PawlError);
    expect(make).toThrow(message);
  });

  const free = scriptedModel([{ text: "Ok." }], { id: "free" });
  const priced = scriptedModel([{ text: "Ok." }], { id: "priced", pricing });
  const base = { name: "a", instructions: "Be brief." };

  it.each<[string, ModelClient]>([
    ["the model", free],
    ["a fallback", withFallback(priced, free)],
    ["a wrapped fallback", resilient(priced, { fallback: free })],
  ])("E10 needs prices of %s, also of a sub-agent's, because nothing would be charged", (_title, model) => {
    const { hook } = budget(IN_USD);
    const wrong = 'its hook "reservation" counts cost, but free has no prices. Give it some';
    expect(() => agent({ ...base, model, hooks: [hook] })).toThrow(wrong);
    const sub = agent({ ...base, name: "sub", model });
    const tools = [agentTool({ agent: sub, description: "Helps." })];
    expect(() => agent({ ...base, model: priced, tools, hooks: [hook] })).toThrow(wrong);
    expect(() => agent({ ...base, model, hooks: [budget().hook] })).not.toThrow();
  });

  it.each([
    ["beforeTurn", free],
    ["beforeModel", withFallback(priced, free)],
  ] as const)(
    "E10 ends a run whose hook plans a model without prices in %s, and asks none",
    async (method, model) => {
      const { hook, balance } = budget(IN_USD);
      const errors: unknown[] = [];
      const cheap = { name: "cheap", [method]: () => ({ model }) };
      const options = { hooks: [hook, cheap] };
      const world = setup({ script: [], pricing }, options, { onError: (error) => errors.push(error) });
      const { stop, sessionId } = await world.say("Go");
      expect(stop.type).toBe("error");
      expect(String(errors[0])).toContain('its hook "reservation" counts cost, but free has no prices');
      expect(await world.of(sessionId, "llm_request")).toEqual([]);
      expect(free.requests).toEqual([]);
      expect(await balance()).toEqual({ used: 0, held: 0 });
    },
  );

  it("E10 reads a balance from an account that counts millionths", async () => {
    const reservations = memoryReservations();
    await reservations.reserve({ account: "a", id: "1", amount: 250_000, limit: 1_000_000 });
    await reservations.renew("1", 100_001);
    expect(await balanceUsd(reservations, "a")).toEqual({ usedUsd: 0.100001, heldUsd: 0.149999 });
  });
});
