import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { rebuild } from "../../../../../test/support/rebuild.ts";
import {
  agent,
  answering,
  type EventStore,
  type Hook,
  type ModelClient,
  memoryStore,
  tool,
  withCircuitBreaker,
  withFallback,
  withIdleWatchdog,
  withRetry,
} from "../../../src/index.ts";
import type { Attempt } from "../../../src/loop/leg/attempt.ts";
import { verdictOn } from "../../../src/loop/turn/verdict.ts";
import { newReply } from "../../../src/model/reply.ts";
import { newSessionState } from "../../../src/session/new-state.ts";
import { never, setup, stored } from "../../support/setup.ts";
import { failingStore } from "../../support/stores.ts";
import { echoTool } from "../../support/tools.ts";

const idle = tool({
  name: "idle",
  description: "Nothing is left to do.",
  input: z.object({}),
  execute: () => "idle",
  endsRun: true,
});
const askUser = tool({
  name: "message_ask_user",
  description: "Asks the user something.",
  input: z.object({ question: z.string() }),
  execute: () => ({ awaiting_response: true }),
  endsRun: "suspended",
});
const choose = tool({
  name: "choose",
  description: "Lets the user choose.",
  input: z.object({}),
  suspends: { answer: z.string() },
});

/** Takes forced choice, or does not. */
const FORCED = "claude-opus-4-8";
const FREE = "claude-opus-5-5";
const world = (
  script: Reply[],
  model: string,
  { store, ...options }: Parameters<typeof setup>[1] & { store?: EventStore; hooks?: readonly Hook[] } = {},
) =>
  setup(
    { script, model },
    { toolOnly: true, tools: [echoTool, idle, askUser, choose], ...options },
    store === undefined ? {} : { store },
  );
const call = (text: string) => ({ name: "echo", input: { text } });
const done: Reply = { tools: [{ name: "idle" }] };
const words: Reply = { text: "I would rather talk." };

describe("an agent that acts by tools alone", () => {
  it("L11 forces a single call where the model allows it, and says so in the log", async () => {
    const forced = world([{ tools: [call("a")] }, done], FORCED);
    const { sessionId, stop } = await forced.say("Go");
    expect(stop.type).toBe("terminal_tool");
    const free = world([{ tools: [call("a")] }, done], FREE);
    const other = await free.say("Go");
    for (const [at, type, id] of [
      [forced, "any", sessionId],
      [free, "auto", other.sessionId],
    ] as const) {
      const choice = { type, disable_parallel_tool_use: true };
      expect(at.model.requests.map((request) => request.tool_choice)).toEqual([choice, choice]);
      const params = (await at.of(id, "llm_request")).map(({ data }) => data.params.tool_choice);
      expect(params).toEqual([choice, choice]);
      expect(at.model.rejected).toEqual([]);
    }
    const plain = setup([{ text: "Hi." }], { tools: [echoTool] });
    await plain.say("Go");
    expect(plain.model.requests[0]).not.toHaveProperty("tool_choice");
  });

  it("L11 does not force a model that thinks", async () => {
    const body = { thinking: { type: "adaptive" } };
    const at = setup({ script: [done], model: FORCED, body }, { toolOnly: true, tools: [idle] });
    expect((await at.say("Go")).stop.type).toBe("terminal_tool");
    expect(at.model.requests[0]?.tool_choice).toMatchObject({ type: "auto" });
    expect(at.model.rejected).toEqual([]);
  });

  it("L11 E3 ends at once, as a logged error, when a model that was forced answers without a call", async () => {
    expectPrinted("pawl: The model answered without calling a tool.");
    const told: string[] = [];
    const hooks = [{ name: "watch", onError: ({ code }: { code: string }) => void told.push(code) }];
    const at = world([words, done], FORCED, { hooks });
    const { sessionId, stop } = await at.say("Go");
    expect(stop).toEqual({
      type: "error",
      message: expect.stringMatching(/did not know what to do next/),
      cause: "The model answered without calling a tool.",
    });
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["no_tool_call"]);
    expect(told).toEqual(["no_tool_call"]);
    expect((await at.store.sessions.get(sessionId))?.status).toBe("error");
    expect(at.model.requests).toHaveLength(1);
    expect((await at.of(sessionId, "assistant_message"))[0]?.data.disposition).toBe("kept");
    expect((await at.say("Again", { sessionId })).stop.type).toBe("terminal_tool");
    expect(at.model.rejected).toEqual([]);
  });

  it("L11 E3 reminds a model that cannot be forced once, by a note, and then ends as a logged error", async () => {
    expectPrinted("pawl: The model answered without calling a tool.");
    const at = world([words, { text: "No." }, done], FREE);
    const { sessionId, stop, turns } = await at.say("Go");
    expect({ type: stop.type, turns }).toEqual({ type: "error", turns: 2 });
    expect(await at.of(sessionId, "note")).toMatchObject([{ data: { reminder: true } }]);
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["no_tool_call"]);
    expect((await at.store.sessions.get(sessionId))?.status).toBe("error");
    expect(at.model.requests[1]?.messages).toMatchObject([
      { role: "user", content: [{ text: "Go" }] },
      { role: "assistant", content: [{ text: words.text }] },
      { role: "user", content: [{ text: expect.stringMatching(/^<note>\nYou answered without calling/) }] },
    ]);
    // The next run may be reminded again.
    expect((await at.say("Again", { sessionId })).stop.type).toBe("terminal_tool");
    expect(at.model.rejected).toEqual([]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(3);
  });

  it("L11 goes on when the reminder helps, and reminds once a run", async () => {
    expectPrinted("pawl: The model answered without calling a tool.");
    const helped = world([words, { tools: [call("a")] }, done], FREE);
    expect((await helped.say("Go")).stop.type).toBe("terminal_tool");
    const again = world([words, { tools: [call("a")] }, words], FREE);
    const { sessionId, stop } = await again.say("Go");
    expect(stop.type).toBe("error");
    expect(await again.of(sessionId, "note")).toHaveLength(1);
    const script = [words, done, words, done];
    const twice = world(script, FREE);
    const first = await twice.say("Go");
    expect((await twice.say("Again", { sessionId: first.sessionId })).stop.type).toBe("terminal_tool");
    expect([...helped.model.rejected, ...again.model.rejected, ...twice.model.rejected]).toEqual([]);
  });

  it("L3 L11 reminds within the turn limit", async () => {
    const at = world([words], FREE, { limits: { turns: 1 } });
    expect((await at.say("Go")).stop.type).toBe("turn_limit");
  });

  it("L11 does not remind twice, wherever the process dies", async () => {
    expectPrinted("pawl: The model answered without calling a tool.");
    expectPrinted("ended as an error: I did not know");
    // Every append of the run is one moment at which it may die.
    for (let moment = 2; moment <= 6; moment += 1) {
      let clock = 0;
      let appends = 0;
      const base = memoryStore({ now: () => clock });
      const store = failingStore(base, () => {
        appends += 1;
        return appends >= moment;
      });
      const script = Array.from({ length: 4 }, () => words);
      const at = world(script, FREE, { store });
      await at.say("Go").catch(() => undefined);
      clock += 60_000;
      const { id = "" } = (await base.sessions.list({ userId: "u1" }))[0] ?? {};
      const options = { toolOnly: true, tools: [echoTool, idle, askUser, choose] };
      const next = setup([], options, { store: base }, () => at.model);
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(id, { untilIdle: true }));
      expect(await next.of(id, "note")).toHaveLength(1);
      expect((await next.of(id, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["error"]);
      expect((await next.of(id, "error")).map(({ data }) => data.code)).toEqual(["no_tool_call"]);
      expect((await next.of(id, "assistant_message")).length).toBe(2);
      expect(at.model.rejected).toEqual([]);
    }
  });

  it("L11 runs the first of several calls and answers the others unexecuted", async () => {
    for (const model of [FORCED, FREE]) {
      const script = [{ tools: [call("a"), { name: "nobody" }, call("b"), { name: "choose" }] }, done];
      const at = world(script, model);
      const { sessionId, stop, actions } = await at.say("Go");
      expect(stop.type).toBe("terminal_tool");
      expect(actions.map(({ success, result }) => [success, result])).toMatchObject([
        [true, "a"],
        [false, expect.any(String)],
        [false, expect.stringMatching(/^Not run: one tool is called at a time, and "echo" came first\./)],
        [false, expect.stringMatching(/^Not run/)],
        [true, "idle"],
      ]);
      expect(await at.of(sessionId, "tool_started")).toHaveLength(2);
      expect(await at.of(sessionId, "tool_suspended")).toHaveLength(0);
      const content = at.model.requests[1]?.messages.at(-1)?.content;
      expect(content).toMatchObject([
        { tool_use_id: expect.any(String) },
        ...Array(3).fill({ is_error: true }),
      ]);
      expect(at.model.rejected).toEqual([]);
    }
  });

  it("L11 T12 holds no call against its tool that was one too many", async () => {
    const calls = ["a", "b", "c", "d"].map(call);
    const at = world([{ tools: calls }, { tools: [call("e")] }, done], FREE, { limits: { toolFailures: 2 } });
    const { sessionId, actions } = await at.say("Go");
    expect(actions.map(({ success }) => success)).toEqual([true, false, false, false, true, true]);
    expect(await at.of(sessionId, "note")).toEqual([]);
    expect((await at.of(sessionId, "tool_result"))[1]?.data).toMatchObject({ skipped: "surplus" });
  });

  it("H1 L14 takes the choice of the model that a hook puts in for a turn", async () => {
    const plain = scriptedModel([done], { id: "plain" });
    const hook: Hook = { name: "cheap", beforeTurn: () => ({ model: plain }) };
    const at = world([], FORCED, { hooks: [hook] });
    await at.say("Go");
    expect(plain.requests[0]?.toolChoice).toMatchObject({ type: "auto" });
  });

  it("H1 L11 lets a hook speak in the model's place, without a reminder", async () => {
    const hook: Hook = { name: "closed", beforeTurn: () => ({ model: answering("We are closed.") }) };
    const at = world([], FREE, { hooks: [hook] });
    expect(await at.say("Go")).toMatchObject({ stop: { type: "end_turn" }, text: "We are closed." });
  });

  it("L3 L11 lets the model speak in a last turn that has no tools", async () => {
    const options = { limits: { turns: 2 }, onLimit: "land" } as const;
    const at = world([{ tools: [call("a")] }, words], FORCED, options);
    const { sessionId, stop, text } = await at.say("Go");
    expect({ type: stop.type, text }).toEqual({ type: "turn_limit", text: words.text });
    expect(at.model.requests.map((request) => request.tool_choice?.type)).toEqual(["any", "none"]);
    expect((await at.of(sessionId, "error")).map(({ data }) => data.code)).toEqual(["turn_limit"]);
    expect(at.model.rejected).toEqual([]);
  });

  it("T4 E3 message_ask_user leaves the session suspended, and the reply is a user message", async () => {
    const question = { tools: [{ name: "message_ask_user", input: { question: "Where?" } }] };
    const at = world([question, done], FREE);
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("terminal_tool");
    expect(await at.store.sessions.get(sessionId)).toMatchObject({ status: "suspended", openRun: null });
    const [result] = await at.of(sessionId, "tool_result");
    expect(result?.data).toMatchObject({ success: true, result: { awaiting_response: true } });
    expect((await at.say("In the kitchen", { sessionId })).stop.type).toBe("terminal_tool");
    expect((await at.store.sessions.get(sessionId))?.status).toBe("active");
    expect(at.model.rejected).toEqual([]);
  });

  it("T4 L11 goes on after a terminal tool that failed, and after an answered question", async () => {
    const script = [
      { tools: [{ name: "message_ask_user" }] },
      { tools: [{ name: "choose", id: "toolu_q" }] },
      done,
    ];
    const at = world(script, FORCED);
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("suspended");
    expect((await at.answer(sessionId, "toolu_q", "left")).stop.type).toBe("terminal_tool");
    expect(at.model.rejected).toEqual([]);
  });

  it.each([
    ["max_tokens", { text: "A long text", clip: 4 }, "max_tokens"],
    ["refusal", { ...words, stop: "refusal" }, "refusal"],
    ["tool_use without a call", { ...words, stop: "tool_use" }, "error"],
    ["a stop sequence", { ...words, stop: "stop_sequence" }, "error"],
    ["a call that was cut off", { tools: [call("a long text")], clip: 8 }, "max_tokens"],
    ["nothing at all", { content: [] }, "error"],
  ] as [string, Reply, string][])("L8 L11 L18 takes %s for what it is", async (_, reply, type) => {
    if (type === "error") expectPrinted("pawl: The model ");
    for (const model of [FORCED, FREE]) {
      const at = world([reply, reply, reply, reply], model);
      const { sessionId, stop, actions } = await at.say("Go");
      expect({ type: stop.type, actions }).toEqual({ type, actions: [] });
      await at.say("And now?", { sessionId });
      expect(at.model.rejected).toEqual([]);
    }
  });

  it("L18 continues a paused answer without a reminder", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const idling = { type: "tool_use", id: "toolu_1", name: "idle", input: {} };
    const body = { tools: [{ type: "web_search_20260318", name: "web_search" }, idle.spec] } as never;
    const script = [{ content: [search], stop: "pause_turn" }, { content: [found, idling] }];
    const at = setup({ script, body, model: FREE }, { toolOnly: true, tools: [idle] });
    const { sessionId, stop } = await at.say("Go");
    expect(stop.type).toBe("terminal_tool");
    expect(await at.of(sessionId, "note")).toEqual([]);
    expect(at.model.rejected).toEqual([]);
  });

  it("L11 leaves out the choice when a run began before its agent had tools", async () => {
    expectPrinted("pawl: The model answered without calling a tool.");
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const hung: ModelClient = {
      id: FREE,
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
    };
    const old = setup([], {}, { store: base }, () => hung);
    const { sessionId } = await old.pawl.run("tester", { userId: "u1", input: "Go" }).started;
    await stored(old, sessionId, "llm_request");
    clock += 60_000;
    const next = world([words, words], FREE, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: true }));
    expect(next.model.rejected).toEqual([]);
    expect(next.model.requests[0]).not.toHaveProperty("tool_choice");
  });

  it("L11 requires no call if the request allowed none", () => {
    const answer = { ...newReply(), stopReason: "end_turn", finished: true };
    const verdict = (choice?: string) => {
      const params = { max_tokens: 1, ...(choice !== undefined && { tool_choice: { type: choice } }) };
      return verdictOn({ answer, request: { params } } as unknown as Attempt, newSessionState("s"), {
        toolOnly: true,
      });
    };
    expect(verdict("none")).toEqual({ calls: [] });
    expect(verdict("auto")).toMatchObject({ reminder: { reminder: true } });
    expect(verdict()).toMatchObject({ reminder: { reminder: true } });
    expect(verdict("tool")).toMatchObject({ problem: { code: "no_tool_call" } });
  });

  it("L11 needs tools", () => {
    const model = scriptedModel([]);
    expect(() => agent({ name: "x", instructions: "x", model, toolOnly: true })).toThrow(/has no tools/);
  });

  it("L11 needs a tool that ends a run, or a condition that does", () => {
    const options = {
      name: "x",
      instructions: "x",
      model: scriptedModel([]),
      toolOnly: true,
      tools: [echoTool],
    };
    expect(() => agent(options)).toThrow(/no tool has `endsRun`/);
    expect(agent({ ...options, tools: [echoTool, idle] }).toolOnly).toBe(true);
    expect(agent({ ...options, stopWhen: [() => undefined] }).toolOnly).toBe(true);
  });
});

describe("whether a model can be forced to call a tool", () => {
  const model = (id: string, forcedToolChoice: boolean) => scriptedModel([], { id, forcedToolChoice });

  it.each([true, false])("L11 is passed on by wrappers: %s", (forced) => {
    const inner = model("a", forced);
    for (const around of [withRetry, withCircuitBreaker, withIdleWatchdog]) {
      expect(around(inner).forcedToolChoice).toBe(forced);
    }
    class Client implements ModelClient {
      id = "b";
      get forcedToolChoice(): boolean {
        return forced;
      }
      stream = inner.stream;
    }
    expect(withRetry(new Client()).forcedToolChoice).toBe(forced);
  });

  it("L11 holds for a model with fallbacks only if it holds for all of them", () => {
    expect(withFallback(model("a", true), model("b", true)).forcedToolChoice).toBe(true);
    expect(withFallback(model("a", true), model("b", false)).forcedToolChoice).toBe(false);
    expect(withFallback(model("a", false), model("b", true)).forcedToolChoice).toBe(false);
    const { forcedToolChoice: _, ...silent } = model("b", true);
    expect(withFallback(model("a", true), silent).forcedToolChoice).toBe(false);
  });
});
