import {
  agent,
  approval,
  type JsonObject,
  jsonSchema,
  memoryStore,
  PawlError,
  runtime,
  type Tool,
  tool,
  withRetry,
} from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { asp, coach, metrics, trainer } from "../../../src/dialects.ts";
import { type Dialect, handler } from "../../../src/index.ts";
import { handModel } from "../../support/hand-model.ts";
import { post, told } from "../../support/post.ts";
import { look, serve } from "../../support/served.ts";

const anything = jsonSchema<Record<string, never>>({ type: "object" });
const make = (name: string, more: object): Tool<unknown> =>
  tool({ name, description: name, input: anything, ...more } as never);

const options = make("show_options", { suspends: { answer: anything } });
const pulse = make("show_pulse_check", { suspends: { answer: anything } });
const enter = make("enter", {
  execute: (_: unknown, context: { setMode(mode: string | null): void }) => {
    context.setMode("review");
    return "entered";
  },
});
const leave = make("leave", {
  execute: (_: unknown, context: { setMode(mode: string | null): void; completeSession(): void }) => {
    context.setMode(null);
    context.completeSession();
    return "left";
  },
});
const broken = make("broken", {
  execute: () => {
    throw new Error("SECRET-HOST");
  },
});
const idle = make("idle", { execute: () => ({ idle: true }), endsRun: "completed" });
const notify = make("notify", { execute: () => ({ artifact_id: "art_1", artifact: { title: "Plan" } }) });
const call = (name: string, input: JsonObject = {}, id = `id-${name}`) => ({ id, name, input });

describe("W2 the life coach's dialect", () => {
  it("L16 sends text, tools, rounds, modes and the session's end, in this order", async () => {
    const model = scriptedModel([
      { text: "First.", tools: [call("enter"), call("broken")] },
      { text: "Then.", tools: [call("leave")] },
      { text: "Good night." },
    ]);
    const served = await serve(model, { dialect: coach(), tools: [enter, leave, broken] });
    const { events } = await post(served, { message: "Hi" });
    const order = (event: unknown) => (JSON.stringify(event).startsWith('{"toolCall"') ? "toolCall" : event);
    expect(events.map(order)).toEqual([
      { text: "First." },
      "toolCall",
      "toolCall",
      { modeChange: "review" },
      { roundBoundary: true },
      { text: "Then." },
      "toolCall",
      { arcCompleted: "review" },
      { roundBoundary: true },
      { text: "Good night." },
      { sessionCompleted: true },
      "[DONE]",
    ]);
    expect(events).toContainEqual({ toolCall: { id: "id-broken", name: "broken" } });
  });

  it("P1 P2 shows questions, and accepts every form of answer that its clients send", async () => {
    const input = { options: ["a", "b"] };
    const model = scriptedModel([
      { tools: [call("show_options", input), call("show_pulse_check", { why: "x" })] },
      { text: "Thanks." },
    ]);
    const served = await serve(model, { dialect: coach(), tools: [options, pulse] });
    const { sessionId, events } = await post(served, { messages: [{ role: "user", content: "Hi" }] });
    expect(events).toEqual([
      { showOptions: { options: ["a", "b"], toolUseId: "id-show_options" } },
      { showPulseCheck: { context: { why: "x" }, toolUseId: "id-show_pulse_check" } },
      "[DONE]",
    ]);
    const messages = [
      { role: "assistant", content: "I was never said, and am not believed." },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "id-show_options", content: '{"choice":"a"}' }],
      },
    ];
    expect((await post(served, { sessionId, messages })).events).toEqual(["[DONE]"]);
    const toolResults = [{ toolUseId: "id-show_pulse_check", result: { health: 3 } }];
    expect((await post(served, { sessionId, toolResults })).events).toEqual([
      { roundBoundary: true },
      { text: "Thanks." },
      "[DONE]",
    ]);
    expect(JSON.stringify(model.requests)).toContain('\\"health\\":3');
    expect(JSON.stringify(model.requests)).not.toContain("never said");
  });

  it("L1 ends with an error if it has no event for a question", async () => {
    const served = await serve(scriptedModel([{ tools: [call("look")] }]), {
      dialect: coach(),
      hooks: [approval({ when: ["look"] })],
    });
    const { events } = await post(served, { message: "Hi" });
    expect(events).toEqual([{ error: expect.stringContaining("cannot show") }, "[DONE]"]);
  });

  it("L3 reports why a run stopped", async () => {
    const served = await serve(
      scriptedModel(() => ({ tools: [call("broken", {}, crypto.randomUUID())] })),
      {
        dialect: coach(),
        tools: [broken],
      },
    );
    const { events } = await post(served, { message: "Hi" });
    expect(events.slice(-2)).toEqual([{ error: expect.any(String) }, "[DONE]"]);
  });
});

describe("W2 the trainer's dialect", () => {
  it("T8 sends status, tools under their names and the end, but no text", async () => {
    const model = scriptedModel([
      { text: "Not told.", tools: [call("look", { what: "it" }), call("broken"), call("notify")] },
      { tools: [call("idle")] },
    ]);
    const served = await serve(model, { dialect: trainer(), tools: [look, broken, notify, idle] });
    const { events, sessionId } = await post(served, { message: "Hi", currentWorkout: { a: 1 }, model: "x" });
    expect(events).toEqual(
      expect.arrayContaining([
        { type: "status", data: { message: "Looking", tool: "look", phase: "start" } },
        { type: "look", data: { status: "running", args: { what: "it" } } },
        { type: "status", data: { message: "Looked", tool: "look", phase: "done" } },
        { type: "look", data: "found it", formatted: "found it", status: "done" },
        { type: "broken", data: "This did not work.", formatted: "This did not work.", status: "failed" },
        {
          type: "notify",
          data: { artifact_id: "art_1", artifact: { title: "Plan" } },
          formatted: expect.any(String),
          status: "done",
          artifact: { title: "Plan" },
          artifact_id: "art_1",
        },
        { type: "idle", data: { idle: true }, formatted: '{"idle":true}', status: "done" },
      ]),
    );
    expect(events.at(-1)).toEqual({ type: "done", sessionId });
    expect(JSON.stringify(events)).not.toContain("Not told");
  });

  it.each(["status", "knowledge", "done", "error"])(
    "refuses a tool named %s where the handler is made",
    (name) => {
      const model = scriptedModel([]);
      const made = agent({ name: "a", model, instructions: "x", tools: [make(name, { execute: () => 1 })] });
      const served = (dialect: Dialect) => () =>
        handler({
          runtime: runtime({ agents: [made], store: memoryStore() }),
          agent: "a",
          authorize: () => null,
          dialect,
        });
      expect(served(trainer())).toThrow(PawlError);
      expect(served(trainer())).toThrow(`"${name}"`);
      expect(served(coach())).not.toThrow();
    },
  );

  it("sends tools named e.g. __proto__ like any other", async () => {
    const names = ["__proto__", "constructor", "toString"];
    const tools = names.map((name) => make(name, { execute: () => name }));
    for (const dialect of [trainer(), asp(), coach(), metrics()]) {
      const model = scriptedModel([{ tools: names.map((name) => call(name)) }, { text: "Ok." }]);
      const { events } = await post(await serve(model, { dialect, tools }), { message: "Hi" });
      for (const name of names) expect(JSON.stringify(events)).toContain(`"${name}"`);
    }
  });
});

describe("W2 W3 ASP v2", () => {
  it("acknowledges first, sends tools with their whole input, and stops once with the right reason", async () => {
    const model = scriptedModel([
      { thinking: "Hm.", text: "A moment.", tools: [call("look", { what: "it" }), call("broken")] },
      { text: "Done.", stop: "stop_sequence", stopSequence: "x" },
    ]);
    const served = await serve(model, { dialect: asp(), tools: [look, broken] });
    const { events } = await post(served, { message: "Hi", replay_id: 3 });
    expect(events.slice(0, 5)).toEqual([
      { type: "ack" },
      { type: "thinking", text: "Hm." },
      { type: "text", text: "A moment." },
      { type: "tool", tool_use_id: "id-look", name: "look", input: { what: "it" } },
      { type: "tool", tool_use_id: "id-broken", name: "broken", input: {} },
    ]);
    expect(events).toContainEqual({ type: "tool_result", tool_use_id: "id-look", content: "found it" });
    const failed = {
      type: "tool_result",
      tool_use_id: "id-broken",
      content: "This did not work.",
      is_error: true,
    };
    expect(events).toContainEqual(failed);
    expect(events.slice(-2)).toEqual([
      { type: "text", text: "Done." },
      { type: "message_stop", stop_reason: "stop_sequence" },
    ]);
  });

  it("P2 takes a client's tool results, and approvals as such", async () => {
    const model = scriptedModel([{ tools: [call("show_options"), call("look")] }, { text: "Ok." }]);
    const served = await serve(model, {
      dialect: asp(),
      tools: [options, look],
      hooks: [approval({ when: ["look"] })],
    });
    const { events, sessionId: session_id } = await post(served, { message: "Hi" });
    expect(events.at(-1)).toEqual({ type: "message_stop", stop_reason: "tool_use" });
    const tool_results = [
      { tool_use_id: "id-show_options", content: [{ type: "text", text: '{"choice":1}' }] },
      { tool_use_id: "id-look", content: { approved: true } },
    ];
    const next = await post(served, { session_id, tool_results });
    expect(next.events).toContainEqual({
      type: "tool_result",
      tool_use_id: "id-show_options",
      content: { choice: 1 },
    });
    expect(next.events.at(-1)).toEqual({ type: "message_stop", stop_reason: "end_turn" });
    expect((await served.ask("/runs", { json: { session_id, tool_results } })).status).toBe(409);
  });
});

describe("L12 a retry over ASP v2", () => {
  it("runs the last message again after its run failed, and stores it once", async () => {
    expectPrinted("pawl: SECRET-HOST");
    const model = scriptedModel((_request, n) => (n === 0 ? Promise.reject(failing()) : { text: "Done." }));
    const served = await serve(model, { dialect: asp() });
    const { events, sessionId: session_id } = await post(served, { message: "Hi" });
    expect(events.at(-1)).toEqual({ type: "error", message: expect.any(String) });
    const { run } = await served.runtime.view(session_id ?? "", { userId: "ada" });
    expect((await post(served, { session_id, retry: run?.id })).events).toEqual([
      { type: "ack" },
      { type: "text", text: "Done." },
      { type: "message_stop", stop_reason: "end_turn" },
    ]);
    const { messages } = await served.runtime.view(session_id ?? "", { userId: "ada" });
    expect(messages.map(({ text }) => text)).toEqual(["Hi", "Done."]);
  });

  it("refuses a retry of a complete answer, without a session, of others, and beside a message", async () => {
    const served = await serve(scriptedModel([{ text: "Done." }]), { dialect: asp() });
    const { sessionId: session_id } = await post(served, { message: "Hi" });
    const { run } = await served.runtime.view(session_id ?? "", { userId: "ada" });
    const status = async (json: object, as = "ada") => (await served.ask("/runs", { json, as })).status;
    expect(await status({ session_id, retry: run?.id })).toBe(400);
    expect(await status({ session_id, retry: run?.id }, "bob")).toBe(404);
    expect(await status({ retry: run?.id })).toBe(400);
    expect(await status({ session_id, retry: true })).toBe(400);
    expect(await status({ session_id, retry: run?.id, message: "Hi" })).toBe(400);
    expect(await status({ session_id, retry: "x".repeat(300) })).toBe(400);
  });
});

const failing = () => new PawlError("model_error", "SECRET-HOST", { details: { retryable: true } });

describe.each([
  ["coach", coach],
  ["ASP v2", asp],
  ["metrics", metrics],
] as const)("void text, in the dialect %s", (_name, dialect) => {
  it.each(["live", "settled"] as const)("%s", async (text) => {
    const model = handModel();
    const served = await serve(withRetry(model, { sleep: async () => undefined }), {
      dialect: dialect({ text }),
    });
    const response = await served.ask("/runs", { json: { message: "Hi" } });
    const turn = await model.turn();
    turn.say("Half of");
    const reading = told(response);
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    for await (const { type } of served.runtime.follow(sessionId)) if (type === "text_delta") break;
    // The stream reads the text at the same time as any other reader.
    await settled();
    turn.fail(failing());
    const next = await model.turn();
    next.say("Whole.");
    next.end();
    const words = JSON.stringify(await reading);
    expect(words.includes("Half of")).toBe(text === "live");
    expect(words.includes("Whole.")).toBe(text === "settled");
    expect(words.includes("Please reload")).toBe(text === "live");
    const view = await served.ask(`/sessions/${response.headers.get("x-pawl-session")}`);
    expect(await view.text()).not.toContain("Half of");
  });
});
