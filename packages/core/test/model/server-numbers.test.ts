import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  agent,
  checkPricing,
  type Hook,
  type ModelClient,
  memoryStore,
  runtime,
  summarize,
  withFallback,
} from "../../src/index.ts";
import { type ModelEvent, type RawUsage, retryAfterMs, usageFromWire } from "../../src/model.ts";
import { pricing } from "../support/pricing.ts";
import { setup } from "../support/setup.ts";

/** A server that counts like this, or not at all. */
function counting(usage: unknown): ModelClient {
  return {
    id: "counts",
    pricing,
    async *stream(): AsyncGenerator<ModelEvent> {
      yield {
        type: "message_start",
        message: { id: "m", model: "m", ...({ usage } as { usage: RawUsage }) },
      };
      yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
      yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(4_000) } };
      yield { type: "content_block_stop", index: 0 };
      yield { type: "message_delta", delta: { stop_reason: "end_turn" } };
      yield { type: "message_stop" };
    },
  };
}

describe("O1 a server's token counts", () => {
  it.each<[unknown, number]>([
    [9e18, 1_000_000_000],
    [Number.POSITIVE_INFINITY, 1_000_000_000],
    [1.2, 2],
    [-5, 0],
    [Number.NaN, 0],
    ["12", 0],
    [null, 0],
    [{}, 0],
  ])("is taken as whole tokens from 0 to a billion: %s as %s", (said, counted) => {
    const count = said as number;
    const raw: RawUsage = {
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: { ephemeral_1h_input_tokens: count },
    };
    expect(new Set(Object.values(usageFromWire(raw)))).toEqual(new Set([counted]));
  });

  it.each([undefined, null, 7, "all", [], { input_tokens: "3", output_tokens: -1 }])(
    "is estimated where it is no count: %j",
    async (usage) => {
      const world = setup([], {}, {}, () => counting(usage));
      const result = await world.say("Go");
      const [request] = await world.of(result.sessionId, "llm_request");
      expect(result.stop.type).toBe("end_turn");
      expect(result.usage.inputTokens).toBe(request?.data.estimated_tokens);
      expect(result.usage.outputTokens).toBe(1_001);
      expect(result.costUsd).toBeGreaterThan(0.01);
    },
  );

  it("counts as 0 if the server sends 0", async () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const { usage: counted } = await setup([], {}, {}, () => counting(usage)).say("Go");
    expect([counted.inputTokens, counted.outputTokens]).toEqual([0, 0]);
  });

  it("leaves the session usable, however large it is", async () => {
    const model = scriptedModel([
      { text: "Hi.", usage: { input_tokens: 9e18, output_tokens: 9e18 } },
      { text: "Ok." },
    ]);
    const store = memoryStore();
    const pawl = runtime({ agents: [agent({ name: "a", model, instructions: "Go." })], store });
    const { sessionId, stop, usage } = await pawl.run("a", { userId: "u", input: "Hi" }).result;
    expect([stop.type, usage.outputTokens]).toEqual(["end_turn", 1_000_000_000]);
    expect((await store.sessions.get(sessionId))?.usage.outputTokens).toBe(1_000_000_000);
    expect((await pawl.run("a", { userId: "u", sessionId, input: "Hi" }).result).text).toBe("Ok.");
  });
});

it("O1 refuses a hook's spending that is too large for the totals", async () => {
  expectPrinted("from 0 to 4000000000, not 9000000000000000.");
  const tokens = { prompt: 9e15, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 9e15 };
  const hook: Hook = {
    name: "spends",
    beforeRun: async ({ append }) => {
      await append({ type: "spending", data: { by: "spends", model: "m", tokens, cost_cents: 0 } });
    },
  };
  const world = setup([{ text: "Hi." }], { hooks: [hook] });
  const { sessionId } = await world.say("Go");
  expect(await world.of(sessionId, "spending")).toEqual([]);
});

it("L12 reads a server's requested wait as milliseconds up to a year, or ignores it", () => {
  const wait = (headers: Record<string, string>) => retryAfterMs(new Headers(headers));
  const year = 365 * 24 * 3_600_000;
  expect(wait({ "retry-after": "1e400" })).toBe(year);
  expect(wait({ "retry-after-ms": "1e400" })).toBe(year);
  expect(wait({ "retry-after-ms": "-3", "retry-after": "-3" })).toBe(0);
  expect(wait({ "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" })).toBe(year);
  expect(wait({ "retry-after": " " })).toBeUndefined();
  expect(wait({ "retry-after": "NaN" })).toBeUndefined();
});

describe("O1 refuses prices that are not numbers from 0 to a million", () => {
  const bad = { ...pricing, output: Number.POSITIVE_INFINITY };
  const model: ModelClient = { ...scriptedModel([]), pricing: bad };

  it("by themselves, also those of long prompts", () => {
    expect(() => checkPricing("m", bad)).toThrow(/output of m/);
    expect(() => checkPricing("m", { ...pricing, longPrompt: { ...bad, above: 1 } })).toThrow(/output of m/);
    expect(() => checkPricing("m", pricing)).not.toThrow();
  });

  it("of an agent, a fallback and a summary", () => {
    expect(() => agent({ name: "a", model, instructions: "Go." })).toThrow(/output/);
    expect(() => withFallback(scriptedModel([]), model)).toThrow(/output/);
    expect(() => summarize({ model, whenTokens: 1 })).toThrow(/output/);
  });

  it("of a model that a hook chooses", async () => {
    expectPrinted("pricing.output of claude-scripted must be a number from 0 to 1000000, not Infinity.");
    const hooks: Hook[] = [{ name: "chooses", beforeTurn: () => ({ model }) }];
    const world = setup([{ text: "Hi." }], { hooks });
    const { sessionId, stop } = await world.say("Go");
    expect(stop.type).not.toBe("end_turn");
    expect((await world.of(sessionId, "error"))[0]?.data.message).toContain("output of");
  });
});
