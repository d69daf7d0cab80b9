import { agent, agentTool, type Hook, type ToolContext, tool, withRetry } from "@pawl/core";
import { type Reply, scriptedModel, testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { calling, traced, user } from "./support/traced.ts";

const none = z.object({});
const look = tool({ name: "look", description: "Looks.", input: none, execute: () => "seen" });
const finish = tool({
  name: "finish",
  description: "Ends.",
  input: none,
  endsRun: true,
  execute: () => "over",
});
const fail = tool({
  name: "fail",
  description: "Fails.",
  input: none,
  execute: () => {
    throw new Error("broken");
  },
});
/** Works until it is stopped. */
const work = tool({
  name: "work",
  description: "Works.",
  input: none,
  execute: (_, { signal }: ToolContext) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(Object.assign(new Error("stopped"), { code: "ABORT" })));
    }),
});
const asksBefore = tool({
  name: "ask",
  description: "Asks.",
  input: none,
  suspends: { answer: z.string() },
});
const asksWithin = tool({
  name: "ask",
  description: "Asks.",
  input: none,
  execute: (_, { answered, ask }: ToolContext) =>
    answered?.value ?? ask({ kind: "question", payload: {}, answer: z.string() }),
});
/** A sub-agent over a script of its own. */
const helper = (script: Reply[], tools = [work, asksWithin]) =>
  agentTool({
    agent: agent({ name: "helper", model: scriptedModel(script, { id: "h" }), instructions: "Help.", tools }),
    description: "Helps.",
  });
const delegate: Reply = { tools: [{ name: "helper", id: "toolu_h", input: { task: "Look" } }] };
const refuses: Hook = {
  name: "refuses",
  beforeTurn: () => {
    throw new Error("broken");
  },
};
const CHAT = "chat m";
const RUN = "invoke_agent coach";
const mute: Reply = { text: "Never said.", fault: { stall: 0 } };
const halfway: Reply = { text: "One two three four five six.", fault: { stall: 4 } };
const output = z.object({ n: z.number() });

describe("O3 only what failed is in error: the spans of a run", () => {
  it.each([
    ["that answers", [{ text: "Hi." }], {}, "end_turn", [CHAT, RUN]],
    [
      "that calls tools",
      [calling("look", "look"), { text: "Hi." }],
      { tools: [look] },
      "end_turn",
      [CHAT, "execute_tool look", "execute_tool look", CHAT, RUN],
    ],
    [
      "that a tool ends",
      [calling("finish")],
      { tools: [finish] },
      "terminal_tool",
      [CHAT, "execute_tool finish", RUN],
    ],
    [
      "that a tool ends, beside a tool that fails",
      [calling("fail", "finish")],
      { tools: [fail, finish] },
      "terminal_tool",
      [CHAT, "execute_tool finish", "execute_tool fail failed: tool_error", RUN],
    ],
    ["with an output", [{ output: { n: 1 } }], { output }, "end_turn", [CHAT, RUN]],
    [
      "with an output at last",
      [{ output: {} }, { output: { n: 1 } }],
      { output },
      "end_turn",
      [CHAT, CHAT, RUN],
    ],
    [
      "without a valid output",
      [{ output: {} }, { output: {} }],
      { output },
      "invalid_output",
      [CHAT, CHAT, `${RUN} failed: invalid_output`],
    ],
    ["whose answer is cut", [{ text: "Hi.", stop: "max_tokens" }], {}, "max_tokens", [CHAT, RUN]],
    ["that is refused", [{ text: "No.", stop: "refusal" }], {}, "refusal", [CHAT, RUN]],
    [
      "that is too long for the model",
      [{ text: "Hi.", stop: "model_context_window_exceeded" }],
      {},
      "context_window",
      [CHAT, `${RUN} failed: context_window`],
    ],
    [
      "with an answer that breaks the contract",
      [{ text: "Hi.", stop: "tool_use" }],
      {},
      "error",
      [CHAT, `${RUN} failed: error`],
    ],
    [
      "whose request is refused",
      [{ fault: { status: 401 } }],
      {},
      "error",
      [`${CHAT} failed: model_error`, `${RUN} failed: error`],
    ],
    [
      "whose answer breaks off",
      [{ text: "Hello.", fault: { cut: 4 } }],
      {},
      "error",
      [`${CHAT} failed: model_error`, `${RUN} failed: error`],
    ],
    ["that a hook ends", [], { hooks: [refuses] }, "error", [`${RUN} failed: error`]],
    [
      "with a failed tool",
      [calling("fail", "look"), { text: "Well." }],
      { tools: [fail, look] },
      "end_turn",
      [CHAT, "execute_tool look", "execute_tool fail failed: tool_error", CHAT, RUN],
    ],
    [
      "with too many turns",
      [calling("look")],
      { tools: [look], limits: { turns: 1 } },
      "turn_limit",
      [CHAT, "execute_tool look", `${RUN} failed: turn_limit`],
    ],
    [
      "with too many turns, and a last one",
      [calling("look"), { text: "So far." }],
      { tools: [look], limits: { turns: 2 }, onLimit: "land" },
      "turn_limit",
      [CHAT, "execute_tool look", CHAT, RUN],
    ],
    [
      "with too many failed turns",
      [calling("fail")],
      { tools: [fail], limits: { errorTurns: 1 } },
      "circuit_open",
      [CHAT, "execute_tool fail failed: tool_error", `${RUN} failed: circuit_open`],
    ],
    [
      "with a sub-agent",
      [delegate, { text: "Done." }],
      { tools: [helper([{ text: "Found." }])] },
      "end_turn",
      [CHAT, "chat h", "invoke_agent coach/helper", "execute_tool helper", CHAT, RUN],
    ],
    [
      "with a sub-agent that fails",
      [delegate, { text: "Well." }],
      { tools: [helper([{ fault: { status: 401 } }])] },
      "end_turn",
      [
        CHAT,
        "chat h failed: model_error",
        "invoke_agent coach/helper failed: error",
        "execute_tool helper failed: error",
        CHAT,
        RUN,
      ],
    ],
  ] as [string, Reply[], object, string, string[]][])("%s", async (_, script, options, stop, spans) => {
    const { run, statuses } = traced(script, options);
    expect((await run().result).stop.type).toBe(stop);
    expect(statuses()).toEqual(spans);
  });

  it("that is tried again: the failed request, and no other", async () => {
    const retried = (...script: Reply[]) =>
      traced([], { model: withRetry(scriptedModel(script, { id: "m" }), { baseMs: 1, retries: 1 }) });
    const good = retried({ text: "Half", fault: { cut: 4 } }, { text: "Ok." });
    expect((await good.run().result).stop.type).toBe("end_turn");
    expect(good.statuses()).toEqual([`${CHAT} failed: model_error`, CHAT, RUN]);
    const bad = retried({ fault: { status: 529 } }, { text: "Half", fault: { cut: 4 } });
    expect((await bad.run().result).stop.type).toBe("error");
    const failed = `${CHAT} failed: model_error`;
    expect(bad.statuses()).toEqual([failed, failed, `${RUN} failed: error`]);
  });

  it.each([
    ["before it runs", asksBefore, [CHAT, RUN], [CHAT, RUN]],
    ["while it runs", asksWithin, [CHAT, "execute_tool ask", RUN], ["execute_tool ask", CHAT, RUN]],
  ])("that waits for the answer to a tool's question %s", async (_, ask, first, second) => {
    const { pawl, run, statuses } = traced([calling("ask"), { text: "Fine." }], { tools: [ask] });
    const { sessionId, pending, stop } = await run().result;
    expect(stop.type).toBe("suspended");
    expect(statuses()).toEqual(first);
    const answers = pending.map(({ callId }) => ({ callId, value: "yes" }));
    expect((await pawl.run("coach", { ...user, sessionId, answers }).result).stop.type).toBe("end_turn");
    expect(statuses()).toEqual([...first, ...second]);
  });

  it("that waits for the answer to a sub-agent's question, and is stopped", async () => {
    const tools = [helper([calling("ask")])];
    const { pawl, run, statuses } = traced([delegate], { tools });
    const { sessionId, stop } = await run().result;
    expect(stop.type).toBe("suspended");
    const waiting = [
      CHAT,
      "chat h",
      "execute_tool ask",
      "invoke_agent coach/helper",
      "execute_tool helper",
      RUN,
    ];
    expect(statuses()).toEqual(waiting);
    await pawl.stop(sessionId, user);
    expect(statuses().filter((status) => status.includes("failed"))).toEqual([]);
  });

  it.each([
    ["before the model answers", [mute], {}, "llm_request", [CHAT, RUN]],
    ["while the model answers", [halfway], {}, "text_delta", [CHAT, RUN]],
    [
      "while tools work",
      [calling("work", "work")],
      { tools: [work] },
      "tool_started",
      [CHAT, "execute_tool work", "execute_tool work", RUN],
    ],
  ] as [string, Reply[], object, string, string[]][])(
    "that the user stops %s, by a button or by closing the page",
    async (_, script, options, when, spans) => {
      for (const stop of ["button", "signal"]) {
        const { pawl, statuses, reached } = traced(script, options);
        const control = new AbortController();
        const running = pawl.run("coach", { ...user, input: "Go", signal: control.signal });
        const { sessionId } = await running.started;
        await reached(sessionId, when);
        if (stop === "signal") control.abort();
        else await pawl.stop(sessionId, user);
        expect((await running.result).stop.type).toBe("aborted");
        expect(statuses()).toEqual(spans);
      }
    },
  );

  it("that the user stops while its sub-agent works", async () => {
    const { pawl, run, statuses, reached } = traced([delegate], { tools: [helper([calling("work")])] });
    const running = run();
    const { sessionId } = await running.started;
    await reached(`${sessionId}:toolu_h`, "tool_started");
    await pawl.stop(sessionId, user);
    expect((await running.result).stop.type).toBe("aborted");
    const inner = ["chat h", "execute_tool work", "invoke_agent coach/helper"];
    expect(statuses()).toEqual([CHAT, ...inner, "execute_tool helper", RUN]);
  });

  it.each([
    ["interrupt", halfway, "interrupted", [CHAT, RUN, CHAT, RUN]],
    ["queue", { text: "One two.", delayPerEventMs: 5 }, "end_turn", [CHAT, CHAT, RUN]],
  ] as const)("that gets a message in between: %s", async (whenBusy, first, stop, spans) => {
    const { pawl, run, statuses, reached } = traced([first, { text: "Ok." }], { whenBusy });
    const running = run();
    const { sessionId } = await running.started;
    await reached(sessionId, "text_delta");
    const next = pawl.run("coach", { ...user, sessionId, input: "And?" });
    expect((await running.result).stop.type).toBe(stop);
    expect((await next.result).stop.type).toBe("end_turn");
    expect(statuses()).toEqual(spans);
  });

  it.each([
    ["before the model answers", [mute], "llm_request", [`${CHAT} failed: deadline`]],
    ["while the model answers", [halfway], "text_delta", [`${CHAT} failed: deadline`]],
    ["while a tool works", [calling("work")], "tool_started", [CHAT, "execute_tool work failed: ABORT"]],
  ] as [string, Reply[], string, string[]][])("whose time is over %s", async (_, script, when, spans) => {
    const clock = testClock();
    const limits = { wallClockMs: 5_000 };
    const { run, statuses, reached } = traced(script, { clock, tools: [work], limits });
    const running = run();
    await reached((await running.started).sessionId, when);
    await clock.advance(6_000);
    expect((await running.result).stop.type).toBe("deadline");
    expect(statuses()).toEqual([...spans, `${RUN} failed: deadline`]);
  });

  it.each([
    ["ends the run", finish, "terminal_tool", [CHAT, "execute_tool finish"]],
    ["asks the user", asksWithin, "suspended", [CHAT, "execute_tool ask"]],
    ["does neither", look, "end_turn", [CHAT, "execute_tool look"]],
  ])("with a tool whose own time is over, beside one that %s", async (_, other, stop, spans) => {
    const clock = testClock();
    const tools = [{ ...work, timeoutMs: 1_000 }, other];
    const { run, statuses, reached } = traced([calling("work", other.name), { text: "Well." }], {
      clock,
      tools,
    });
    const running = run();
    await reached((await running.started).sessionId, "tool_started");
    await clock.advance(2_000);
    expect((await running.result).stop.type).toBe(stop);
    const rest = stop === "end_turn" ? [CHAT, RUN] : [RUN];
    expect(statuses()).toEqual([...spans, "execute_tool work failed: tool_error", ...rest]);
  });

  it("whose time is over, and that has a last turn: what the limit has cut off", async () => {
    for (const [first, when] of [
      [halfway, "text_delta"],
      [mute, "llm_request"],
    ] as const) {
      const clock = testClock();
      const limits = { wallClockMs: 60_000 };
      const { run, statuses, reached } = traced([first, { text: "So far." }], {
        clock,
        limits,
        onLimit: "land",
      });
      const running = run();
      await reached((await running.started).sessionId, when);
      await clock.advance(59_000);
      expect((await running.result).text).toContain("So far.");
      expect(statuses()).toEqual([`${CHAT} failed: aborted`, CHAT, RUN]);
    }
  });
});

describe("O3 only what failed is in error, in the spans of each process", () => {
  it("that dies, and of the one that recovers its run", async () => {
    for (const [first, lost] of [
      [mute, `${CHAT} failed: lost`],
      [calling("work"), "execute_tool work failed: lost"],
    ] as const) {
      const clock = testClock();
      const world = traced([first, { text: "Here." }], { clock, tools: [work] });
      const { sessionId, runId } = await world.run().started;
      await world.reached(sessionId, first === mute ? "llm_request" : "tool_started");
      const before = world.statuses();
      const next = world.takeOver();
      expect(await next.sweep()).toBe(1);
      for await (const _ of next.follow(sessionId, { untilIdle: { runId } }));
      expect(world.statuses()).toEqual([...before, CHAT, RUN.split(" ")[0]]);
      await clock.advance(60_000);
      await expect
        .poll(() => world.statuses().slice(before.length + 2))
        .toEqual([lost, `${RUN} failed: lost`]);
    }
  });

  it("that hands a run over: the request that it breaks off, and no tool that has ended", async () => {
    const world = traced([calling("look"), mute, { text: "Here." }], { tools: [look] });
    const { sessionId, runId } = await world.run().started;
    await world.reached(sessionId, "tool_result");
    await world.pawl.drain({ timeoutMs: 10 });
    const here = [CHAT, "execute_tool look", `${CHAT} failed: aborted`, RUN];
    expect(world.statuses()).toEqual(here);
    const next = world.boot();
    expect(await next.sweep()).toBe(1);
    for await (const _ of next.follow(sessionId, { untilIdle: { runId } }));
    expect(world.statuses()).toEqual([...here, CHAT, "invoke_agent"]);
  });
});
