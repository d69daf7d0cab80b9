import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import {
  agent,
  agentTool,
  dropOldResults,
  type ModelClient,
  memoryStore,
  PawlError,
  runtime,
  stopOnFailedTurns,
  summarize,
  withCircuitBreaker,
  withIdleWatchdog,
  withRetry,
} from "../../src/index.ts";
import type { WorkLimits } from "../../src/store.ts";
import { viewPage } from "../../src/view.ts";
import { pricing } from "../support/pricing.ts";
import { setup } from "../support/setup.ts";
import { look } from "../support/tools.ts";

const model = scriptedModel([]);
const base = { name: "a", model, instructions: "Help." };
const none = Number(undefined);
const priced = (pricing: object): ModelClient => ({ ...model, pricing: pricing as never });

describe("an option that is not a valid number is refused where it is given", () => {
  it.each<[string, () => unknown]>([
    ["L12 retries", () => withRetry(model, { retries: none })],
    ["L5 failed turns", () => stopOnFailedTurns(none)],
    ["L12 a first wait", () => withRetry(model, { baseMs: -1 })],
    ["L12 a longest wait", () => withRetry(model, { maxMs: none })],
    ["L12 jitter above 1", () => withRetry(model, { jitter: 1.5 })],
    ["failures of a circuit", () => withCircuitBreaker(model, { failures: 0 })],
    ["a circuit's rest", () => withCircuitBreaker(model, { coolDownMs: none })],
    ["a watchdog's patience", () => withIdleWatchdog(model, { idleMs: none })],
    ["a text for a number", () => withIdleWatchdog(model, { idleMs: "60000" as never })],
    ["C11 a threshold", () => dropOldResults({ whenTokens: none })],
    ["C11 no turn to keep", () => dropOldResults({ whenTokens: 1, keepTurns: 0 })],
    ["C11 half a turn to keep", () => summarize({ model, whenTokens: 1, keepTurns: 1.5 })],
    ["C11 a summary without length", () => summarize({ model, whenTokens: 1, maxTokens: 0 })],
    ["O1 a price", () => agent({ ...base, model: priced({ ...pricing, cacheRead: none }) })],
    ["O1 a price below 0", () => agent({ ...base, model: priced({ ...pricing, output: -1 }) })],
    [
      "O1 a long prompt's price",
      () => agent({ ...base, model: priced({ ...pricing, longPrompt: { ...pricing, cacheRead: none } }) }),
    ],
    ["F19 a time limit of `tools`", () => agent({ ...base, toolsTimeoutMs: none })],
    ["B7 a limit of characters of `tools`", () => agent({ ...base, toolsLimit: none })],
    ["O2 an estimate", () => agent({ ...base, estimateTokens: () => none })],
    ["O2 an estimate below 0", () => agent({ ...base, estimateTokens: () => -1 })],
    ["O2 an infinite estimate", () => agent({ ...base, estimateTokens: () => Number.POSITIVE_INFINITY })],
    ["L3 a slice", () => agentTool({ agent: agent(base), description: "", limits: { turns: none } })],
    [
      "L3 a slice of an unknown resource",
      () => agentTool({ agent: agent(base), description: "", limits: { turn: 3 } as never }),
    ],
    ["O1 a limit in cents", () => agent({ ...base, limits: { costCents: 50 } as never })],
    ["O1 a session's limit in cents", () => agent({ ...base, sessionLimits: { costCents: 50 } as never })],
    [
      "O1 a slice in cents",
      () => agentTool({ agent: agent(base), description: "", limits: { costCents: 5 } as never }),
    ],
    ["a lease of no time", () => runtime({ agents: [], store: memoryStore(), times: { leaseTtlMs: 0 } })],
    [
      "a lease that is longer than a timer can wait",
      () => runtime({ agents: [], store: memoryStore(), times: { leaseTtlMs: 2 ** 31 } }),
    ],
    ["a poll interval", () => runtime({ agents: [], store: memoryStore(), times: { pollMs: none } })],
    ["B7 a limit of work", () => runtime({ agents: [], store: memoryStore(), workLimits: { files: none } })],
    ["B7 no work at all", () => runtime({ agents: [], store: memoryStore(), workLimits: { fileBytes: 0 } })],
    ["B7 half a file", () => runtime({ agents: [], store: memoryStore(), workLimits: { files: 1.5 } })],
    ["B7 half a session", () => runtime({ agents: [], store: memoryStore(), workLimits: { sessions: 2.5 } })],
    ["a grace", () => runtime({ agents: [], store: memoryStore(), times: { abortGraceMs: none } })],
  ])("%s", (_what, make) => {
    expect(make).toThrow(PawlError);
    expect(make).toThrow(/must be|not a limit/);
  });

  it.each<[string, object]>([
    ["R5 a page without a size", {}],
    ["R5 a page of no messages", { last: 0 }],
    ["R5 a page of half a message", { last: 0.5 }],
    ["R5 a page of what is no number", { last: none }],
    ["R5 a page before the log", { last: 1, before: 0 }],
    ["R5 a page before half an event", { last: 1, before: 1.5 }],
    ["R5 a text for a place", { last: 1, before: "3" }],
  ])("%s", async (_what, options) => {
    const page = viewPage(memoryStore(), { id: "s1", lastSeq: 0 }, options as never);
    await expect(page).rejects.toThrow(/(last|before).* of viewPage\(\) must be |needs `last`, a number/);
  });

  it("B7 U6 names the limit of work that is wrong, and takes `Infinity` and parts of a millisecond", () => {
    const limited = (workLimits: WorkLimits) => () =>
      runtime({ agents: [], store: memoryStore(), workLimits });
    expect(limited({ files: 1.5 })).toThrow(
      "files of `workLimits` of runtime() must be a whole number from 1, not 1.5.",
    );
    expect(limited({ sessionBytes: 0 })).toThrow(
      "sessionBytes of `workLimits` of runtime() must be a number from 1, not 0.",
    );
    const lifted = { files: Infinity, fileBytes: Infinity, sessions: Infinity, sessionBytes: Infinity };
    expect(limited({ ...lifted, waitMs: Infinity })).not.toThrow();
    expect(limited({ files: 1, sessions: 1, waitMs: 1.5 })).not.toThrow();
  });

  it("O1 U6 reports all missing prices at once", () => {
    expect(() => agent({ ...base, model: priced({ input: 1, output: 1 }) })).toThrow(
      'pricing of claude-scripted, the model of "a", needs `cacheRead`, `cacheWrite5m` and `cacheWrite1h` too',
    );
    expect(() => agent({ ...base, model: priced({ ...pricing, longPrompt: {} }) })).toThrow(
      /pricing\.longPrompt .* needs `input`, `output`, `cacheRead`, `cacheWrite5m` and `cacheWrite1h` too/,
    );
  });
});

it("O2 an estimate that is invalid only for the prompt ends the run as an error, without a request", async () => {
  expectPrinted(
    'pawl: estimateTokens of "tester" must be a number from 0 to 9007199254740991; got undefined.',
  );
  const world = setup([{ text: "never" }], { estimateTokens: (chars) => ({ 1000: 250 })[chars] as number });
  expect((await world.say("Go")).stop.type).toBe("error");
  expect(world.model.requests).toEqual([]);
});

it("O2 counts an estimate in whole tokens", async () => {
  const world = setup([{ text: "Ok." }], { estimateTokens: (chars) => chars / 3.7 });
  const { sessionId } = await world.say("Go");
  const [request] = await world.of(sessionId, "llm_request");
  expect(request?.data.estimated_tokens).toSatisfy(Number.isInteger);
});

it("L3 O1 estimates an answer with an invalid token count, and takes other invalid counts as 0", async () => {
  const usage = {
    input_tokens: "12",
    output_tokens: -5,
    cache_read_input_tokens: none,
    cache_creation_input_tokens: 3.2,
  };
  const world = setup([{ text: "Ok.", usage: usage as never }]);
  const { usage: counted } = await world.say("Go");
  expect(counted).toMatchObject({ inputTokens: 0, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 4 });
});

it("C4 waits for user data as long as configured, even longer than a timer can", async () => {
  const userData = async () => {
    await pause(5, "a timer of the machine fires after 1 ms if its delay is too long for it");
    return "Ada";
  };
  const world = setup([{ text: "Ok." }], { userData: { read: userData, timeoutMs: 2 ** 31 } });
  const { sessionId } = await world.say("Go");
  expect(await world.of(sessionId, "error")).toEqual([]);
});

it("C11 a summary that is not text is reported, and the context stays", async () => {
  const checkpointWhen = [() => ({ reason: "summary" as const, fromSeq: 5, summary: 5 as never })];
  const world = setup([{ tools: [{ name: "look" }] }, { text: "Ok." }], { tools: [look], checkpointWhen });
  const { stop, sessionId } = await world.say("Go");
  expect(stop.type).toBe("end_turn");
  expect((await world.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["checkpoint_failed"]);
});
