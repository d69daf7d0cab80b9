import {
  agent,
  agentTool,
  type EventType,
  type Hook,
  type JsonObject,
  jsonSchema,
  type StoredOf,
  type Tool,
  type ToolContext,
  tool,
} from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { metrics } from "../../../src/dialects.ts";
import { post } from "../../support/post.ts";
import { look, serve } from "../../support/served.ts";

const anything = jsonSchema<Record<string, never>>({ type: "object" });
const make = (name: string, more: object): Tool<unknown> =>
  tool({ name, description: name, input: anything, ...more } as never);

const broken = make("broken", {
  execute: () => {
    throw new Error("SECRET-HOST");
  },
});
const call = (name: string, input: JsonObject = {}, id = `id-${name}`) => ({ id, name, input });

describe("W2 the metrics' dialect", () => {
  it("sends text, plans, reviews and the end", async () => {
    const plan = { goal: "x", subTasks: [] };
    const planner: Hook = {
      name: "planner",
      beforeTurn: async (_turn, context) => {
        await context.append({ type: "planning.plan", data: plan });
        await context.append({ type: "planning.review", data: { ok: true } });
        return undefined;
      },
    };
    const served = await serve(scriptedModel([{ text: "Ok." }]), { dialect: metrics(), hooks: [planner] });
    const { events, sessionId } = await post(served, { message: "Hi", workspaceId: "somebody's" });
    expect(events).toEqual([
      { type: "plan", plan },
      { type: "review", review: { ok: true } },
      { type: "text", text: "Ok." },
      { type: "done", sessionId },
    ]);
  });

  it("M4 sends a metric for every call, with the values of the log", async () => {
    const pricing = { input: 1, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const helper = agent({
      name: "helper",
      instructions: "Help.",
      model: { ...scriptedModel([{ text: "Helped." }]), pricing },
    });
    const help = agentTool({
      name: "help",
      description: "Helps.",
      agent: helper,
      limits: { turns: 1, wallClockMs: 10_000, costUsd: 1 },
    });
    const calls = [call("look", { what: "it" }), call("broken"), call("help", { task: "x" })];
    const twice = { text: "Hm.", tools: [call("look", { what: "it" }, "id-again")] };
    const served = await serve(scriptedModel([{ tools: calls }, twice, { text: "Ok." }]), {
      dialect: metrics(),
      tools: [{ ...look, repeatable: false }, broken, help as Tool<unknown>],
    });
    const { events, sessionId } = await post(served, { message: "Hi" });
    const log = await Array.fromAsync(served.store.read(sessionId ?? ""));
    const ofCall = <T extends EventType>(type: T, id: string) =>
      log.find(
        (event): event is StoredOf<T> =>
          event.type === type && (event.data as { call_id?: string }).call_id === id,
      );
    const metric = (callId: string) => ({
      type: "metric",
      callId,
      agentName: "coach",
      startedAt: (ofCall("tool_started", callId) ?? ofCall("tool_result", callId))?.at,
      durationMs: ofCall("tool_result", callId)?.durationMs ?? 0,
    });
    const costUsd = (ofCall("tool_result", "id-help")?.data.spent?.cost_cents ?? 0) / 100;
    expect(costUsd).toBeGreaterThan(0);
    const sent = events.filter((event) => (event as { type: string }).type === "metric");
    expect(sent).toHaveLength(4);
    for (const expected of [
      {
        ...metric("id-look"),
        toolName: "look",
        arguments: { what: "it" },
        resultSummary: "found it",
        status: "success",
      },
      {
        ...metric("id-broken"),
        toolName: "broken",
        arguments: {},
        status: "error",
        error: { message: "This did not work." },
      },
      {
        ...metric("id-help"),
        toolName: "help",
        arguments: { task: "x" },
        estimatedCostUsd: costUsd,
        resultSummary: "Helped.",
        status: "success",
      },
      { ...metric("id-again"), toolName: "look", arguments: { what: "it" }, status: "skipped" },
    ])
      expect(sent.find((one) => (one as { callId: string }).callId === expected.callId)).toMatchObject(
        expected,
      );
  });

  it("F22 M4 sends what a tool reports, and the plan that it stores", async () => {
    const search = make("search", {
      execute: async (_: unknown, { report, append }: ToolContext) => {
        await append({ type: "planning.plan", data: { goal: "Q4" } });
        report({
          costUsd: 0.0023,
          connector: "gmail",
          fragments: ["m1", "m2"],
          summary: "2 mails about Q4",
        });
        return ["Mail 1", "Mail 2"];
      },
    });
    const down = make("down", {
      execute: (_: unknown, { report }: ToolContext) => {
        report({ connector: "slack", costUsd: 0 });
        throw Object.assign(new Error("SECRET-HOST"), { code: "INVALID_CHANNEL" });
      },
    });
    const script = [{ tools: [call("search")] }, { tools: [call("down")] }, { text: "Ok." }];
    const served = await serve(scriptedModel(script), { dialect: metrics(), tools: [search, down] });
    const { events } = await post(served, { message: "Hi" });
    expect(events.slice(0, 3)).toMatchObject([
      { type: "plan", plan: { goal: "Q4" } },
      {
        type: "metric",
        connectorId: "gmail",
        fragmentsAdded: ["m1", "m2"],
        estimatedCostUsd: 0.0023,
        resultSummary: "2 mails about Q4",
        status: "success",
      },
      {
        type: "metric",
        connectorId: "slack",
        estimatedCostUsd: 0,
        status: "error",
        error: { code: "INVALID_CHANNEL", message: "This did not work." },
      },
    ]);
  });

  it("M4 makes nothing up for a tool that reports nothing", async () => {
    const script = [{ tools: [call("broken"), call("look")] }, { text: "Ok." }];
    const served = await serve(scriptedModel(script), { dialect: metrics(), tools: [broken, look] });
    const { events } = await post(served, { message: "Hi" });
    for (const metric of events.slice(0, 2)) {
      expect(metric).toMatchObject({ type: "metric", connectorId: null });
      expect(metric).not.toHaveProperty("fragmentsAdded");
      expect(metric).not.toHaveProperty("estimatedCostUsd");
    }
    expect(events).toContainEqual(expect.objectContaining({ error: { message: "This did not work." } }));
  });
});
