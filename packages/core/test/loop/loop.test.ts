import { beforeEach, describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import type { EventData, HookContext } from "../../src/index.ts";
import { allowFailedHooks } from "../support/hooks.ts";
import { collect, setup, types } from "../support/setup.ts";
import { echoTool } from "../support/tools.ts";

beforeEach(allowFailedHooks);

const call = (text: string) => ({ name: "echo", input: { text } });

describe("the loop", () => {
  it("L1 turns model output into actions until the model is done, and says why it stopped", async () => {
    const { say, of, model } = setup([{ text: "One moment.", tools: [call("a")] }, { text: "Done." }], {
      tools: [echoTool],
    });
    const result = await say("Go");
    expect(result.stop).toEqual({ type: "end_turn", message: "Done." });
    expect(model.requests).toHaveLength(2);
    const [ended] = await of(result.sessionId, "run_ended");
    expect(ended?.data).toMatchObject({ stop: result.stop, turns: 2, session_status: "active" });
  });

  it("L2 goes by the stop reason: a call in an answer that ended its turn is reported, not run and not sent again", async () => {
    const script = [{ text: "Hm.", tools: [call("a")], stop: "end_turn" }, { text: "Hello again." }];
    const reported: unknown[] = [];
    const onError = (error: unknown) => reported.push((error as Error).message);
    const { say, of, model } = setup(script, { tools: [echoTool] }, { onError });
    const { sessionId, stop, actions } = await say("Go");
    expect(stop.type).toBe("end_turn");
    expect(actions).toEqual([]);
    expect(await of(sessionId, "tool_call")).toEqual([]);
    expect(reported).toEqual([
      'The model ended its answer (end_turn) with a call of "echo". It was not run.',
    ]);
    await say("Hello?", { sessionId });
    expect(model.rejected).toEqual([]);
    expect(model.requests[1]?.messages[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Hm." }],
    });
  });

  it("L2 reports a tool_use stop without a call through the hook and ends the run as an error", async () => {
    expectPrinted("pawl: The model stopped to use a tool and called none.");
    const told: { error: EventData["error"]; context: HookContext }[] = [];
    const hooks = [
      {
        name: "watch",
        onError: (error: EventData["error"], context: HookContext) => void told.push({ error, context }),
      },
    ];
    const { say, of, store } = setup([{ text: "I'll use a tool.", stop: "tool_use" }], {
      tools: [echoTool],
      hooks,
    });
    const { sessionId, runId, stop } = await say("Go");
    expect(stop.type).toBe("error");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      error: { code: "contract_violation" },
      context: { sessionId, runId, userId: "u1", agent: "tester" },
    });
    expect(await of(sessionId, "error")).toHaveLength(1);
    expect((await store.sessions.get(sessionId))?.status).toBe("error");
  });

  it("L2 refuses a call id that the session has seen before, and stays usable", async () => {
    expectPrinted("pawl: The model used the tool call id toolu_same twice.");
    const reused = { ...call("a"), id: "toolu_same" };
    const { say, model } = setup(
      [{ tools: [reused] }, { text: "Again:", tools: [reused] }, { text: "Fine." }],
      {
        tools: [echoTool],
      },
    );
    const first = await say("Go");
    expect(first.stop.type).toBe("error");
    expect((await say("And now?", { sessionId: first.sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("L3 ends at the turn limit with a typed reason, an error event and a sentence for the user", async () => {
    const script = [{ tools: [call("a")] }, { tools: [call("b")] }, { text: "Here I am." }];
    const { say, of, store, pawl, model } = setup(script, { tools: [echoTool], limits: { turns: 2 } });
    const { sessionId, stop, turns, actions } = await say("Go");
    expect({ type: stop.type, turns, calls: actions.length }).toEqual({
      type: "turn_limit",
      turns: 2,
      calls: 2,
    });
    expect((await of(sessionId, "error"))[0]?.data).toMatchObject({
      code: "turn_limit",
      message: stop.message,
    });
    expect((await store.sessions.get(sessionId))?.status).toBe("error");
    const { messages } = await pawl.view(sessionId, { userId: "u1" });
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "notice", text: stop.message });
    expect((await say("Go on", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("L8 never runs a call that max_tokens cut off, keeps the text, and tells the user", async () => {
    const script = [
      { text: "I save it:", tools: [call("a long text")], clip: 8 },
      { text: "Where were we?" },
    ];
    const { say, of, model } = setup(script, { tools: [echoTool] });
    const { sessionId, stop, actions } = await say("Go");
    expect(stop).toMatchObject({ type: "max_tokens", message: expect.stringMatching(/cut short/) });
    expect(actions).toEqual([]);
    expect((await of(sessionId, "assistant_message"))[0]?.data).toMatchObject({
      disposition: "partial",
      complete: 1,
    });
    await say("Continue", { sessionId });
    expect(model.rejected).toEqual([]);
    expect(JSON.stringify(model.requests[1])).not.toContain("tool_use");
    expect(model.requests[1]?.messages[1]?.content).toEqual([{ type: "text", text: "I save it:" }]);
  });

  it("L12 logs a failed model call, tells the caller, and leaves the session in status error", async () => {
    expectPrinted("pawl: Overloaded");
    const script = [{ fault: { status: 529 } }, { text: "Back again." }];
    const { say, of, store, model } = setup(script);
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("error");
    expect((await of(sessionId, "error"))[0]?.data).toMatchObject({
      code: "model_error",
      stack: null,
      context: { status: 529, type: "overloaded_error", retryable: true },
    });
    expect((await store.sessions.get(sessionId))?.status).toBe("error");
    expect((await say("Try again", { sessionId })).text).toBe("Back again.");
    expect(model.rejected).toEqual([]);
  });

  it("L12 keeps the text of an answer that broke off, and the conversation valid", async () => {
    expectPrinted("pawl: The model's answer was cut off.", "pawl: Overloaded");
    const script = [
      { text: "This is a long answer that breaks off", fault: { cut: 6 } },
      { text: "Half", tools: [call("x")], fault: { midStream: "overloaded", afterEvents: 9 } },
      { text: "Back." },
    ];
    const { say, of, model } = setup(script, { tools: [echoTool] });
    const { sessionId, stop, text } = await say("Go");
    expect(stop.type).toBe("error");
    expect(text).not.toBe("");
    await say("Again", { sessionId });
    expect((await say("Once more", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    expect(await of(sessionId, "tool_started")).toEqual([]);
  });

  it("L15 names session, actions, turns, stop, usage and cost", async () => {
    const { say } = setup([{ tools: [call("a")] }, { text: "Done." }], { tools: [echoTool] });
    const result = await say("Go");
    expect(result).toMatchObject({
      sessionId: expect.any(String),
      runId: expect.any(String),
      actions: [{ tool: "echo", args: { text: "a" }, result: "a", success: true }],
      turns: 2,
      text: "Done.",
      pending: [],
    });
    expect(
      result.usage.inputTokens + result.usage.cacheWriteTokens + result.usage.cacheReadTokens,
    ).toBeGreaterThan(0);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  });

  it("L16 marks the boundary between turns, so that their texts never run together", async () => {
    const { pawl } = setup([{ text: "First.", tools: [call("a")] }, { text: "Second." }], {
      tools: [echoTool],
    });
    const run = pawl.run("tester", { userId: "u1", input: "Go" });
    const events = types(await collect(run));
    expect(events.filter((type) => type === "turn_ended")).toHaveLength(1);
    expect(events.indexOf("turn_ended")).toBeLessThan(events.lastIndexOf("llm_request"));
    expect(events.indexOf("turn_ended")).toBeGreaterThan(events.indexOf("tool_result"));
    expect((await run.result).text).toBe("First.\n\nSecond.");
  });

  it("reports a hook that throws and continues", async () => {
    expectPrinted("pawl: Internal server error");
    const hooks = [{ name: "broken", onError: () => Promise.reject(new Error("hook down")) }];
    const { say, of } = setup([{ fault: { status: 500 } }], { hooks });
    const { sessionId, stop } = await say("Go");
    expect(stop.type).toBe("error");
    expect((await of(sessionId, "error")).map((event) => event.data.code)).toEqual([
      "model_error",
      "hook_failed",
    ]);
  });

  it("ends as an error, not as a crash, when deps or a stop condition throw", async () => {
    expectPrinted("pawl: no database", 'pawl: stopWhen of the agent "tester": bad condition');
    const broken = setup([], {}, { deps: () => Promise.reject(new Error("no database")) });
    expect((await broken.say("Go")).stop.type).toBe("error");
    const stopWhen = [
      () => {
        throw new Error("bad condition");
      },
    ];
    const bad = setup([], { stopWhen });
    const { sessionId, stop } = await bad.say("Go");
    expect(stop.type).toBe("error");
    expect((await bad.of(sessionId, "error"))[0]?.data).toMatchObject({
      code: "internal",
      message: 'stopWhen of the agent "tester": bad condition',
    });
  });

  it.each<[string, unknown]>([
    ["a promise", Promise.resolve(undefined)],
    ["no reason", {}],
    ["yes", true],
  ])("L1 ends as an error when a stop condition says %s", async (_what, said) => {
    expectPrinted("pawl: A stop reason must be an object { type, message } of two strings; got a");
    const { say, of } = setup([{ text: "never" }], { stopWhen: [() => said as never], stopMessages: {} });
    const { sessionId, stop, turns } = await say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "error", turns: 0 });
    expect((await of(sessionId, "error"))[0]?.data.code).toBe("internal");
  });

  it("L1 accepts any string as the type of a reason", async () => {
    for (const type of ["constructor", "__proto__", "toString"]) {
      const { say } = setup([], { stopWhen: [() => ({ type, message: "" })] });
      expect((await say("Go")).stop).toEqual({ type, message: "Stopped." });
    }
  });

  it("L1 stops for a condition of one's own, with its reason, also where a limit is reached", async () => {
    const stopWhen = [
      (run: { calls: readonly unknown[] }) =>
        run.calls.length >= 1 ? { type: "my.enough", message: "Enough." } : undefined,
    ];
    const { say } = setup([{ tools: [call("a")] }], { tools: [echoTool], stopWhen, limits: { turns: 1 } });
    expect((await say("Go")).stop).toEqual({ type: "my.enough", message: "Enough." });
  });
});
