import { type Reply, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { rebuild } from "../../../../../test/support/rebuild.ts";
import { agent, type Hook, runtime, tool } from "../../../src/index.ts";
import { atEveryAppend, eventsOf } from "../../support/every-append.ts";
import { setup } from "../../support/setup.ts";

/** Has the run go on after its first turns. */
const unsatisfied = (turns: number, name = "judge", text = "Shorter."): Hook => ({
  name,
  afterTurn: (_, { run }) => (run.turns <= turns ? { continue: text } : undefined),
});
const draft: Reply = { text: "A draft." };
const script: Reply[] = [draft, { text: "A better draft." }, { text: "Done." }];

describe("afterTurn with `continue`", () => {
  it("F35 H2 C13 continues the run with the feedback as a note, and never as the user's message", async () => {
    const at = setup(script, { hooks: [unsatisfied(2)] });
    const { sessionId, stop, turns } = await at.say("Write");
    expect({ type: stop.type, turns }).toEqual({ type: "end_turn", turns: 3 });
    expect((await at.of(sessionId, "note")).map(({ data }) => data)).toEqual([
      { text: "Shorter.", continues: true },
      { text: "Shorter.", continues: true },
    ]);
    expect(await at.of(sessionId, "user_message")).toHaveLength(1);
    expect(at.model.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ text: "<note>\nShorter.\n</note>" }],
    });
    const { messages } = await at.pawl.view(sessionId, { userId: "u1" });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await rebuild(await at.log(sessionId))).toHaveLength(3);
    expect(at.model.rejected).toEqual([]);
  });

  it("F35 L3 continues within the turn limit only", async () => {
    const at = setup(script, { hooks: [unsatisfied(9)], limits: { turns: 2 } });
    expect(await at.say("Write")).toMatchObject({ stop: { type: "turn_limit" }, turns: 2 });
  });

  it("F35 L3 does not go on after the landing turn", async () => {
    const at = setup(script, { hooks: [unsatisfied(9)], limits: { turns: 3 }, onLimit: "land" });
    const { sessionId, stop, turns } = await at.say("Write");
    expect({ type: stop.type, turns }).toEqual({ type: "turn_limit", turns: 3 });
    const notes = (await at.of(sessionId, "note")).filter(({ data }) => data.continues);
    expect(notes).toHaveLength(2);
  });

  it("F35 H1 lets `stop` win, whichever hook is first, and joins the feedback of several hooks", async () => {
    const stopping: Hook = {
      name: "stop",
      afterTurn: () => ({ stop: { type: "aborted", message: "Enough." } }),
    };
    for (const hooks of [
      [stopping, unsatisfied(9)],
      [unsatisfied(9), stopping],
    ]) {
      const at = setup(script, { hooks });
      const { sessionId, stop } = await at.say("Write");
      expect(stop).toEqual({ type: "aborted", message: "Enough." });
      expect(await at.of(sessionId, "note")).toEqual([]);
    }
    const both = setup(script, {
      hooks: [unsatisfied(1, "one", "Shorter."), unsatisfied(1, "two", "Warmer.")],
    });
    const { sessionId } = await both.say("Write");
    expect((await both.of(sessionId, "note")).map(({ data }) => data.text)).toEqual(["Warmer.\n\nShorter."]);
  });

  it("F35 L9 does not go on after the user's stop", async () => {
    const hook: Hook = {
      name: "late",
      afterTurn: async (_, { sessionId, signal }) => {
        await at.pawl.stop(sessionId, { userId: "u1" });
        await expect.poll(() => signal.aborted).toBe(true);
        return { continue: "Shorter." };
      },
    };
    const at = setup(script, { hooks: [hook] });
    const { sessionId, stop, turns } = await at.say("Write");
    expect({ type: stop.type, turns }).toEqual({ type: "aborted", turns: 1 });
    expect(await at.of(sessionId, "note")).toEqual([]);
  });

  it("F35 F2 gives the output of the last turn only", async () => {
    const output = z.object({ text: z.string() });
    const drafts: Reply[] = [{ text: '{"text":"long"}' }, { text: '{"text":"short"}' }];
    const at = setup(drafts, { hooks: [unsatisfied(1)], output });
    const { sessionId, ...done } = await at.say("Write");
    expect(done).toMatchObject({ output: { text: "short" }, turns: 2 });
    const { messages } = await at.pawl.view(sessionId, { userId: "u1" });
    const outputs = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "output"));
    expect(outputs.at(-1)).toMatchObject({ value: { text: "short" } });
    const limited = setup(drafts, { hooks: [unsatisfied(1)], output, limits: { turns: 1 }, onLimit: "stop" });
    const result = await limited.say("Write");
    expect(result.stop.type).toBe("turn_limit");
    expect(result).not.toHaveProperty("output");
  });

  it("F35 T4 leaves the run ended that a tool has ended, or an answer that cannot be used", async () => {
    expectPrinted("pawl: The model stopped for an unknown reason");
    const done = tool({
      name: "done",
      description: "Ends.",
      input: z.object({}),
      execute: () => "",
      endsRun: true,
    });
    for (const [reply, type] of [
      [{ tools: [{ name: "done" }] }, "terminal_tool"],
      [{ ...draft, stop: "who_knows" }, "error"],
    ] as [Reply, string][]) {
      const at = setup([reply], { hooks: [unsatisfied(9)], tools: [done] });
      expect((await at.say("Write")).stop.type).toBe(type);
    }
  });

  it.each([
    ["", "a blank text"],
    [7, "a number"],
    [undefined, "undefined"],
  ])("F35 H1 takes a text only, and contains the mistake: %j", async (value, got) => {
    const hook: Hook = { name: "wrong", afterTurn: () => ({ continue: value as never }) };
    expectPrinted('afterTurn of "wrong" (agent "tester"): `continue` must be');
    const at = setup([draft], { hooks: [hook] });
    const { sessionId, stop } = await at.say("Write");
    expect(stop.type).toBe("end_turn");
    expect((await at.of(sessionId, "error")).map(({ data }) => data.message)).toEqual([
      `afterTurn of "wrong": \`continue\` must be the text that the model reads in the next turn; got ${got}.`,
    ]);
  });

  it("F35 F21 is a judge loop that asks once for each draft, wherever the process dies", async () => {
    const schema = z.object({ passes: z.boolean(), feedback: z.string() });
    const replies = () => {
      const asked: string[] = [];
      const judge = scriptedModel(({ messages }) => {
        const text = JSON.stringify(messages);
        asked.push(text);
        return {
          tools: [{ name: "answer", input: { passes: text.includes("Draft 2"), feedback: "More." } }],
        };
      });
      const loop: Hook = {
        name: "judge",
        afterTurn: async ({ assistantSeq }, { askModel, run }) => {
          const prompt = run.texts.at(-1) ?? "";
          const { output } = await askModel(judge, { prompt, schema, key: `judge:${assistantSeq}` });
          return output.passes ? undefined : { continue: output.feedback };
        },
      };
      return loop;
    };
    const model = strictModel({
      rules: ({ messages }) => ({
        text: `Draft ${messages.filter(({ role }) => role === "assistant").length}`,
      }),
    });
    const deaths = await atEveryAppend({
      agent: "writer",
      boot: (store) =>
        runtime({
          agents: [
            agent({
              name: "writer",
              model,
              instructions: "Write.",
              hooks: [replies()],
              limits: { turns: 5 },
            }),
          ],
          store,
          onError: () => undefined,
          times: { storeRetryMs: [] },
        }),
      check: ({ stop, turns }, all, where) => {
        expect({ where, type: stop.type, turns }).toEqual({ where, type: "end_turn", turns: 3 });
        expect(eventsOf(all, "note").map(({ data }) => data)).toEqual(
          Array(2).fill({ text: "More.", continues: true }),
        );
        expect(eventsOf(all, "spending").filter(({ data }) => data.answer)).toHaveLength(3);
      },
    });
    expect(deaths).toBeGreaterThan(15);
    expect(model.rejected).toEqual([]);
  });
});
