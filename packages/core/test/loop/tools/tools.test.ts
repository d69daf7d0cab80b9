import { describe, expect, it } from "vitest";
import * as z from "zod";
import { rebuild } from "../../../../../test/support/rebuild.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { jsonSchema, memoryStore, tool } from "../../../src/index.ts";
import { setup, until } from "../../support/setup.ts";
import { failingStore } from "../../support/stores.ts";
import { text } from "../../support/tools.ts";

describe("tools", () => {
  it("T1 takes plain JSON Schema and validates by it", async () => {
    const seen: unknown[] = [];
    const made = tool({
      name: "plain",
      description: "Plain.",
      input: jsonSchema<{ n: number }>({
        type: "object",
        properties: { n: { type: "integer" } },
        required: ["n"],
        additionalProperties: false,
      }),
      execute: ({ n }) => {
        seen.push(n);
        return n;
      },
    });
    const script = [
      {
        tools: [
          { name: "plain", input: { n: 1.5 } },
          { name: "plain", input: { n: 2 } },
        ],
      },
      { text: "Ok" },
    ];
    const { actions } = await setup(script, { tools: [made] }).say("Go");
    expect(actions.map(({ success }) => success)).toEqual([false, true]);
    expect(String(actions[0]?.result)).toContain("n:");
    expect(seen).toEqual([2]);
  });

  it("T2 answers an unknown tool with an error result, and the run goes on", async () => {
    const { say, model } = setup([{ tools: [{ name: "nope" }] }, { text: "I see." }]);
    const { actions, stop } = await say("Go");
    expect(actions).toEqual([
      { tool: "nope", args: {}, result: 'There is no tool named "nope".', success: false },
    ]);
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it.each([
    ["functions.look_up", "functions_look_up"],
    ["multi_tool_use.parallel", "multi_tool_use_parallel"],
    ["look up", "look_up"],
    ["", "unnamed"],
    ["ä", "_"],
    ["n".repeat(300), "n".repeat(64)],
  ])("T2 B4 tells the model that no tool has the name %j, which APIs refuse", async (name, stored) => {
    let ran = 0;
    const look = tool({
      name: "look_up",
      description: "Looks.",
      input: z.object({}),
      execute: () => (ran += 1),
    });
    const { say, model, of, log } = setup([{ tools: [{ name }] }, { text: "I see." }], { tools: [look] });
    const { sessionId, actions, stop } = await say("Go");
    expect(stop.type).toBe("end_turn");
    expect(ran).toBe(0);
    expect(actions).toMatchObject([
      { result: expect.stringMatching(/^There is no tool named "/), success: false },
    ]);
    if (name.length < 200) expect(actions[0]?.result).toBe(`There is no tool named "${name}".`);
    expect((await of(sessionId, "assistant_message"))[0]?.data.content).toMatchObject([{ name: stored }]);
    expect(model.rejected).toEqual([]);
    await rebuild(await log(sessionId));
  });

  it("T3 answers an invalid input with what to fix, and does not run the tool", async () => {
    let ran = 0;
    const strict = tool({
      name: "strict",
      description: "Strict.",
      input: z.object({ city: z.string(), days: z.number().max(7) }),
      execute: () => (ran += 1),
    });
    const { say, of } = setup([{ tools: [{ name: "strict", input: { days: 9 } }] }, { text: "Ok." }], {
      tools: [strict],
    });
    const { actions, sessionId } = await say("Go");
    expect(ran).toBe(0);
    expect(String(actions[0]?.result)).toMatch(/city.*days/);
    expect(await of(sessionId, "tool_started")).toEqual([]);
  });

  it("T4 ends the run after a terminal tool, with the session's status as the tool says", async () => {
    const idle = tool({
      name: "idle",
      description: "Rests.",
      input: text,
      endsRun: true,
      execute: () => "ok",
    });
    const asked = tool({
      name: "ask_user",
      description: "",
      input: text,
      endsRun: "suspended",
      execute: () => ({ awaiting_response: true }),
    });
    const input = { text: "x" };
    const script = [
      { tools: [{ name: "idle", input }] },
      { tools: [{ name: "ask_user", input }] },
      { text: "Thanks." },
    ];
    const { say, store, model, pawl } = setup(script, { tools: [idle, asked] });
    const first = await say("Go");
    expect(first.stop.type).toBe("terminal_tool");
    const second = await say("More", { sessionId: first.sessionId });
    expect(second.stop.type).toBe("terminal_tool");
    expect((await store.sessions.get(first.sessionId))?.status).toBe("suspended");
    expect((await pawl.getOrCreateSession("tester", "u1")).id).toBe(first.sessionId);
    expect((await say("My reply", { sessionId: first.sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
  });

  it("T4 lets a tool complete the session while the model still has its last word", async () => {
    const complete = tool({
      name: "complete",
      description: "Completes.",
      input: text,
      execute: (_, { completeSession }) => {
        completeSession();
        return "completed";
      },
    });
    const { say, store } = setup(
      [
        { tools: [{ name: "complete", input: { text: "" } }] },
        { text: "Goodbye!" },
        { text: "Welcome back." },
      ],
      { tools: [complete] },
    );
    const { sessionId, text: said } = await say("Bye");
    expect(said).toBe("Goodbye!");
    expect((await store.sessions.get(sessionId))?.status).toBe("completed");
    await say("One more thing", { sessionId });
    expect((await store.sessions.get(sessionId))?.status).toBe("active");
  });

  it("L6 runs the calls of a turn side by side, at most as many as allowed, and isolates their failures", async () => {
    let running = 0;
    let most = 0;
    const busy = tool({
      name: "busy",
      description: "",
      input: z.object({ n: z.number() }),
      execute: async ({ n }) => {
        running += 1;
        most = Math.max(most, running);
        await settled();
        running -= 1;
        if (n === 1) throw new Error("one fails");
        return n;
      },
    });
    const tools = [0, 1, 2, 3, 4].map((n) => ({ name: "busy", input: { n } }));
    const { say, model } = setup([{ tools }, { text: "Ok." }], { tools: [busy], toolConcurrency: 3 });
    const { actions } = await say("Go");
    expect(most).toBe(3);
    expect(actions.map(({ success }) => success)).toEqual([true, false, true, true, true]);
    expect(model.requests[1]?.messages[2]?.content).toMatchObject(
      ["0", "one fails", "2", "3", "4"].map((content) => ({ content })),
    );
  });

  it("L7 turns a failure into a result with is_error and the call's own id, and content is never a bare object", async () => {
    const odd = tool({
      name: "odd",
      description: "",
      input: text,
      execute: ({ text }) => {
        if (text === "throw") throw new Error("broken");
        return text === "nothing" ? undefined : { deep: { object: true } };
      },
    });
    const tools = ["throw", "nothing", "object"].map((value) => ({
      name: "odd",
      id: `toolu_${value}`,
      input: { text: value },
    }));
    const { say, model, of } = setup([{ tools }, { text: "Ok." }], { tools: [odd] });
    const { sessionId } = await say("Go");
    for (const { durationMs } of await of(sessionId, "tool_result")) expect(durationMs).toBeTypeOf("number");
    expect(model.requests[1]?.messages[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_throw", content: "broken", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_nothing", content: "null" },
      { type: "tool_result", tool_use_id: "toolu_object", content: '{"deep":{"object":true}}' },
    ]);
  });

  it("L6 stores the results of the other calls if one result cannot be stored", async () => {
    const base = memoryStore();
    const refused = Promise.withResolvers<void>();
    const store = failingStore(base, (events) => {
      const fails = events.some((event) => event.type === "tool_result" && event.data.result === "quick");
      if (fails) refused.resolve();
      return fails;
    });
    const work = tool({
      name: "work",
      description: "",
      input: text,
      execute: async ({ text }) => {
        if (text === "slow") {
          await refused.promise;
          await settled();
        }
        return text;
      },
    });
    const tools = ["quick", "slow"].map((value) => ({ name: "work", input: { text: value } }));
    const { pawl, of } = setup([{ tools }], { tools: [work] }, { store });
    const run = pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    await expect(run.result).rejects.toThrow("down");
    expect((await of(sessionId, "tool_result")).map(({ data }) => data.result)).toEqual(["slow"]);
  });

  it("L7 formats a result for the model and keeps the value for the application", async () => {
    const formatted = tool({
      name: "f",
      description: "",
      input: text,
      format: (result) => `<r>${String(result)}</r>`,
      execute: () => 42,
    });
    const { say, model } = setup([{ tools: [{ name: "f", input: { text: "" } }] }, { text: "Ok." }], {
      tools: [formatted],
    });
    expect((await say("Go")).actions[0]?.result).toBe(42);
    expect(JSON.stringify(model.requests[1])).toContain("<r>42</r>");
  });

  it("T1 answers a call whose time is up, and logs what it returns too late without using it", async () => {
    let told: AbortSignal | undefined;
    const late = Promise.withResolvers<string>();
    const stubborn = tool({
      name: "stubborn",
      description: "",
      input: text,
      timeoutMs: 10,
      execute: (_, { signal }) => {
        told = signal;
        return late.promise;
      },
    });
    const { say, of } = setup([{ tools: [{ name: "stubborn", input: { text: "" } }] }, { text: "Ok." }], {
      tools: [stubborn],
    });
    const { actions, sessionId } = await say("Go");
    expect(actions[0]).toMatchObject({ success: false, result: expect.stringMatching(/unknown.*too long/) });
    expect(told?.reason).toEqual(
      expect.objectContaining({ name: "TimeUp", message: "The tool took longer than 10 ms." }),
    );
    late.resolve("late");
    await until(async () => (await of(sessionId, "error")).length > 0);
    expect((await of(sessionId, "error"))[0]?.data).toMatchObject({ code: "late_result" });
    expect(await of(sessionId, "tool_result")).toHaveLength(1);
  });
});
