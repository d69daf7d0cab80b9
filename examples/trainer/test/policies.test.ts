import { memoryReservations } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { dailyBudgetTokens, dataSources } from "../src/index.ts";
import { call, idle, notify, sent, workout, world } from "./support/world.ts";

const today = () => new Date().toISOString().slice(0, 10);

describe("the trainer's models", () => {
  it("L12 are retried after a temporary failure", async () => {
    const made = await world({ script: [{ fault: { status: 529 } }, notify("Hello."), idle] });
    const { text, stop, sessionId } = await made.pawl.run("trainer", { userId: made.userId, input: "Hi" })
      .result;
    expect({ text, type: stop.type }).toEqual({ text: "", type: "terminal_tool" });
    const [error] = await made.of(sessionId, "error");
    expect(error?.data).toMatchObject({ code: "model_error", context: { status: 529, will_retry: true } });
    expect(made.api.rejected).toEqual([]);
  });

  it("L12 L11 are replaced by the fallback, which is forced to call a tool as well", async () => {
    const rules = ({ model }: { model?: unknown }): Reply =>
      model === "claude-haiku-4-5" ? { fault: { status: 404 } } : idle;
    const made = await world({ rules: rules as never, fallback: "claude-sonnet-4-5" });
    const { stop } = await made.pawl.run("trainer", { userId: made.userId, input: "Hi" }).result;
    expect(stop.type).toBe("terminal_tool");
    const asked = sent(made).map((request) => [(request as { model?: string }).model, request.tool_choice]);
    const forced = { type: "any", disable_parallel_tool_use: true };
    expect(asked).toEqual([
      ["claude-haiku-4-5", forced],
      ["claude-sonnet-4-5", forced],
    ]);
    expect(made.api.rejected).toEqual([]);
  });

  it("L12 a model that a request chose has the fallback too", async () => {
    const rules = ({ model }: { model?: unknown }): Reply =>
      model === "claude-opus-4-5" ? { fault: { status: 404 } } : idle;
    const made = await world({ rules: rules as never, fallback: "claude-sonnet-4-5" });
    const response = await made.ask("/chat", { json: { message: "Hi", model: "claude-opus-4-5" } });
    expect(response.status).toBe(200);
    const models = sent(made).map((request) => (request as { model?: string }).model);
    expect(models).toEqual(["claude-opus-4-5", "claude-sonnet-4-5"]);
  });
});

describe("a long session with the trainer", () => {
  it("C13 drops old results from the context, and the workout is still there", async () => {
    const sources = dataSources().map(({ name }) => name);
    const params = { workout_history: { days_back: 365, limit: 100 } };
    const fetch = call("fetch_data", { sources, params });
    const run = [...Array.from({ length: 8 }, () => fetch), idle];
    const shorter = { exercise_id: "1", adjustments: { rest_sec: 60 } };
    const made = await world({
      script: [workout(), idle, ...run, ...run, ...run, ...run, call("adjust_exercise", shorter), idle],
    });
    const ask = (sessionId?: string) =>
      made.pawl.run("trainer", { userId: made.userId, input: "Go on", ...(sessionId && { sessionId }) })
        .result;
    const { sessionId } = await ask();
    for (const _ of [1, 2, 3, 4]) await ask(sessionId);
    const { actions } = await ask(sessionId);
    expect(actions).toMatchObject([{ tool: "adjust_exercise", success: true }, { tool: "idle" }]);
    const checkpoints = await made.of(sessionId, "checkpoint");
    expect(checkpoints.map(({ data }) => data.reason)).toEqual(["drop_old_results"]);
    expect(made.api.rejected).toEqual([]);
  });
});

describe("a user's budget for the day", () => {
  it("E10 ends a run that does not fit before the model is called", async () => {
    const reservations = memoryReservations();
    const made = await world({ script: [idle], reservations });
    const { day } = dailyBudgetTokens;
    await reservations.reserve({ account: `${made.userId}/${today()}`, id: "x", amount: day, limit: day });
    const { stop } = await made.pawl.run("trainer", { userId: made.userId, input: "Hi" }).result;
    expect(stop).toMatchObject({ type: "quota_exceeded", message: expect.stringContaining("tomorrow") });
    expect(made.api.requests).toEqual([]);
  });

  it("E10 is charged with the actual use of a run, and the rest is returned", async () => {
    const reservations = memoryReservations();
    const made = await world({ script: [idle], reservations });
    const { usage } = await made.pawl.run("trainer", { userId: made.userId, input: "Hi" }).result;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const used = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
    expect(await reservations.balance(`${made.userId}/${today()}`)).toEqual({ used, held: 0 });
  });
});
