import { describe, expect, it } from "vitest";
import * as z from "zod";
import { promptOf, requestOf } from "../../src/context/build-request.ts";
import { applyEvent } from "../../src/fold/apply.ts";
import { PawlError, tool } from "../../src/index.ts";
import { newSessionState } from "../../src/session/new-state.ts";
import type { NewEvent } from "../../src/store.ts";
import { setup } from "../support/setup.ts";
import { ask, look } from "../support/tools.ts";

const looking = (id: string) => ({ name: "look", id });
const append = (world: ReturnType<typeof setup>, sessionId: string, events: NewEvent[]) =>
  world.store.append(sessionId, events, { appendId: crypto.randomUUID() });

function withoutMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part)));
}

describe("context", () => {
  it("C1 lets every tool_use be followed at once by its results, in call order, however they came", async () => {
    const gate = Promise.withResolvers<string>();
    const held = tool({ name: "held", description: "", input: z.object({}), execute: () => gate.promise });
    const tools = [{ name: "held", id: "toolu_slow" }, looking("toolu_quick")];
    const world = setup([{ tools }, { text: "Ok." }], { tools: [look, held] });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    run.on("tool_result", () => gate.resolve("at last"));
    const { sessionId } = await run.result;
    const stored = (await world.of(sessionId, "tool_result")).map(({ data }) => data.call_id);
    expect(stored).toEqual(["toolu_quick", "toolu_slow"]);
    expect(world.model.requests[1]?.messages[2]?.content).toMatchObject([
      { tool_use_id: "toolu_slow" },
      { tool_use_id: "toolu_quick" },
    ]);
    expect(world.model.rejected).toEqual([]);
  });

  it("C1 holds back knowledge, artifacts and notes that arrive during a turn until after its results", async () => {
    const gate = Promise.withResolvers<string>();
    const held = tool({ name: "held", description: "", input: z.object({}), execute: () => gate.promise });
    const world = setup([{ tools: [{ name: "held" }] }, { text: "Ok." }, { text: "Bye." }], {
      tools: [held],
    });
    const run = world.pawl.run("tester", { userId: "u1", input: "Go" });
    const { sessionId } = await run.started;
    run.on("tool_started", () => {
      const late: NewEvent[] = [
        { type: "knowledge", data: { source: "goals", data: "run </knowledge> 5 km" } },
        {
          type: "artifact",
          data: {
            artifact_id: "art_1",
            type: "plan",
            schema_version: "1",
            title: "Plan",
            summary: {},
            auto_start: false,
            payload: {},
          },
        },
        { type: "note", data: { text: "It is late." } },
      ];
      void append(world, sessionId, late).then(() => gate.resolve("done"));
    });
    await run.result;
    const content = world.model.requests[1]?.messages[2]?.content as { type: string; text?: string }[];
    expect(content.map(({ type, text }) => text?.split("\n")[0] ?? type)).toEqual([
      "tool_result",
      '<knowledge source="goals">',
      "<artifact>",
      "<note>",
    ]);
    expect(content[1]?.text).toBe('<knowledge source="goals">\nrun <\\/knowledge> 5 km\n</knowledge>');
    await append(world, sessionId, [{ type: "knowledge", data: { source: "late", data: "at the end" } }]);
    await world.say("Thanks", { sessionId });
    const last = world.model.requests[2]?.messages.at(-1)?.content;
    expect(last).toMatchObject([{ text: expect.stringContaining("at the end") }, { text: "Thanks" }]);
    expect(world.model.rejected).toEqual([]);
  });

  it("C2 refuses to build a context from an empty log", () => {
    expect(() => promptOf(newSessionState("s"))).toThrow(
      new PawlError("context", "Cannot build context: no events in session"),
    );
  });

  it("C3 marks last tool, system prompt and last block, and reads the prefix from the cache ever after", async () => {
    const instructions = `You are a test. ${"Be thorough. ".repeat(300)}`;
    const script = [
      { tools: Array.from({ length: 12 }, (_, n) => looking(`toolu_a${n}`)) },
      { tools: Array.from({ length: 12 }, (_, n) => looking(`toolu_b${n}`)) },
      { text: "Ok." },
    ];
    const world = setup(script, { tools: [look], instructions });
    const { sessionId } = await world.say("Go");
    for (const request of world.model.requests) {
      const marks = JSON.stringify(request).match(/cache_control/g) ?? [];
      expect(marks.length).toBeLessThanOrEqual(4);
      expect(JSON.stringify(request.tools?.at(-1))).toContain("cache_control");
      expect(JSON.stringify(request.messages.at(-1)?.content.at(-1))).toContain("cache_control");
    }
    const usage = (await world.of(sessionId, "llm_response")).map(({ data }) => data.tokens);
    expect(usage[0]).toMatchObject({ cached: 0 });
    // Each request reads all that the one before it wrote, although a turn has more blocks than the look-back.
    expect(usage[1]?.cached).toBe((usage[0]?.cached ?? 0) + (usage[0]?.cache_write ?? 0));
    expect(usage[2]?.cached).toBe((usage[1]?.cached ?? 0) + (usage[1]?.cache_write ?? 0));
  });

  it("C12 replays blocks untouched, thinking and unknown kinds included, and leaves out empty text", async () => {
    const content = [
      { type: "thinking", thinking: "Let me think.", signature: "" },
      { type: "text", text: " \n" },
      { type: "text", text: "So:" },
      { type: "tool_use", id: "toolu_1", name: "look", input: {}, caller: { type: "direct" } },
    ];
    const world = setup([{ content }, { text: "Ok." }], { tools: [look] });
    const { sessionId } = await world.say("Go");
    const [answer] = await world.of(sessionId, "assistant_message");
    expect(answer?.data.content).toHaveLength(4);
    const sent = withoutMarks(world.model.requests[1]?.messages[1]?.content);
    expect(sent).toEqual(answer?.data.content.filter((block) => block.text !== " \n"));
    expect(world.model.rejected).toEqual([]);
  });

  it("C12 C13 begins a new prefix at a run boundary when the agent has changed, without earlier thinking", async () => {
    const thinking = { thinking: "Deep.", text: "Hello." };
    const world = setup([thinking], { tools: [look] });
    const { sessionId } = await world.say("Go");
    const deployed = setup(
      [{ text: "New me." }],
      { instructions: "You have changed." },
      { store: world.store },
    );
    await deployed.say("Still there?", { sessionId });
    expect(deployed.model.rejected).toEqual([]);
    expect(await world.of(sessionId, "prefix")).toHaveLength(2);
    expect(deployed.model.requests[0]?.messages[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
    await setup([{ text: "Same." }], { instructions: "You have changed." }, { store: world.store }).say(
      "Ok",
      { sessionId },
    );
    expect(await world.of(sessionId, "prefix")).toHaveLength(2);
  });

  it("C12 C13 keeps system and tools of the log while a run is open, whatever has been deployed since", async () => {
    const world = setup([{ tools: [{ name: "ask", id: "toolu_q" }] }], { tools: [ask] });
    const { sessionId } = await world.say("Go");
    const deployed = setup(
      [{ text: "Ok." }],
      { instructions: "Changed.", tools: [ask, look] },
      { store: world.store },
    );
    await deployed.answer(sessionId, "toolu_q", "yes");
    expect(deployed.model.requests[0]?.system).toMatchObject([{ text: "You are a test." }]);
    expect(deployed.model.requests[0]?.tools).toHaveLength(1);
  });

  it("C1 rebuilds every request from the log, to the byte", async () => {
    const script = [
      { thinking: "Hm.", tools: [looking("toolu_1"), { name: "ask", id: "toolu_q" }] },
      { text: "cut", tools: [looking("toolu_2")], clip: 3 },
      { tools: [looking("toolu_3")] },
      { text: "Done." },
    ];
    const world = setup(script, { tools: [look, ask] });
    const { sessionId } = await world.say("Go");
    await world.answer(sessionId, "toolu_q", "yes");
    await world.say("More", { sessionId });
    const state = newSessionState(sessionId);
    let n = 0;
    for (const event of await world.log(sessionId)) {
      if (event.type === "llm_request") {
        const { messages, system, tools } = requestOf(promptOf(state), { maxTokens: 1 });
        expect(JSON.parse(JSON.stringify({ messages, system, tools }))).toEqual({
          messages: world.model.requests[n]?.messages,
          system: world.model.requests[n]?.system,
          tools: world.model.requests[n]?.tools,
        });
        n += 1;
      }
      applyEvent(state, event);
    }
    expect(n).toBe(4);
  });
});
