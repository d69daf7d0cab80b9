import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approval, type Hook, type Json, type Tool, tool } from "../../../src/index.ts";
import { summaryOf, timelineOf } from "../../../src/inspect.ts";
import { foldView, newView, reduceView } from "../../../src/view.ts";
import { named } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";

const options = {
  description: "Pays.",
  input: z.object({ euros: z.number(), to: z.string().default("Ada"), key: z.string().optional() }),
};
const script = [
  { tools: [{ name: "pay", id: "toolu_p", input: { euros: 500 } }] },
  { text: "Done." },
  { text: "Fine." },
];

const suspends = { answer: z.string() };
const tags = options.input.extend({ tags: z.record(z.string(), z.number()).default({ a: 1 }) });

/** A tool whose result is the user's answer. */
const asks = tool({ ...options, name: "pay", suspends });
const runs = tool({ ...options, name: "pay", execute: () => "Paid." });
const runsAfter = tool({ ...options, name: "pay", suspends, execute: () => "Paid." });
const onPage = tool({ ...options, name: "pay", runsIn: "client", output: z.string() });

const edit = (change: { [field: string]: Json }, shown?: boolean): Hook =>
  named("edit", {
    beforeTool: ({ input }) => ({
      input: { ...(input as object), ...change },
      ...(shown !== undefined && { shown }),
    }),
  });

/** Lets the call wait for an answer, and returns what clients get of it. */
async function asked(one: Tool, hooks: Hook[]) {
  const world = setup(script, { tools: [one], hooks });
  const { sessionId, pending } = await world.say("Pay the bill");
  const { messages } = await world.pawl.view(sessionId, user);
  const part = messages.flatMap(({ parts }) => parts).find(({ type }) => type === "tool");
  if (part?.type !== "tool") throw new Error("There is no call.");
  return { world, sessionId, payload: pending[0]?.payload, part };
}

describe("an input that a hook has changed before the tool asks", () => {
  it("H3 is in the view while the question is open and after its answer, in each way to fold it", async () => {
    const { world, sessionId, part } = await asked(asks, [edit({ euros: 50 }, true)]);
    expect(part).toMatchObject({
      phase: "waiting",
      arguments: { euros: 500 },
      input: { euros: 50, to: "Ada" },
    });
    await world.answer(sessionId, "toolu_p", "Paid.");
    const view = await world.pawl.view(sessionId, user);
    expect(view.messages.flatMap(({ parts }) => parts)).toContainEqual(
      expect.objectContaining({ phase: "done", result: "Paid.", input: { euros: 50, to: "Ada" } }),
    );
    const log = await world.log(sessionId);
    expect(log.reduce(reduceView, newView())).toEqual(await foldView(log));
  });

  it("H3 is not in the view if pages may not have it, or if a hook asks, after which others may change it", async () => {
    for (const shown of [undefined, false])
      expect((await asked(asks, [edit({ euros: 50 }, shown)])).part).not.toHaveProperty("input");
    const { world, sessionId, part } = await asked(runs, [
      edit({ euros: 50 }, true),
      approval({ when: ["pay"] }),
      named("later", { beforeTool: () => ({ input: { euros: 50, to: "later-7" }, shown: false }) }),
    ]);
    expect(part).not.toHaveProperty("input");
    await world.answer(sessionId, "toolu_p", { approved: true });
    expect(JSON.stringify(await world.pawl.view(sessionId, user))).not.toContain("later-7");
  });

  it("H3 is in timelines and in the lines of the log, unless a hook hides it", async () => {
    for (const shown of [undefined, true, false]) {
      const { world, sessionId } = await asked(asks, [edit({ euros: 50 }, shown)]);
      const log = await world.log(sessionId);
      const [call] = timelineOf(log).flatMap(({ turns }) => turns.flatMap(({ calls }) => calls));
      expect(call?.input).toEqual(shown === false ? undefined : { euros: 50, to: "Ada" });
      const [question] = await world.of(sessionId, "tool_suspended");
      const line = question && summaryOf(question);
      expect(line).toContain(shown === false ? "input changed" : 'input changed to {"euros":50');
      if (shown === false) expect(line).not.toContain("50");
    }
  });

  it("H3 E11 is removed from the view with the question, open or loaded", async () => {
    const { world, sessionId } = await asked(asks, [edit({ to: "secret-7" }, true)]);
    await world.answer(sessionId, "toolu_p", "Paid.");
    const [result] = await world.of(sessionId, "tool_result");
    await world.pawl.redact(sessionId, result?.seq ?? 0, user);
    expect(JSON.stringify(await world.pawl.view(sessionId, user))).not.toContain("secret-7");
    const open = (await world.log(sessionId)).reduce(reduceView, newView());
    expect(JSON.stringify(open)).not.toContain("secret-7");
  });
});

describe("a question about an input that a hook hides", () => {
  const hides = edit({ euros: 50, key: "key-7" }, false);
  const masked = { euros: "[hidden]", to: "Ada", key: "[hidden]" };

  it("H3 of a tool shows that something is hidden, and what else runs", async () => {
    for (const one of [asks, runsAfter]) expect((await asked(one, [hides])).payload).toEqual(masked);
  });

  it("H3 of approval() shows that something is hidden, and the call runs with what is hidden", async () => {
    const ran: unknown[] = [];
    const pay = tool({ ...options, name: "pay", execute: (input) => void ran.push(input) });
    const { world, sessionId, payload } = await asked(pay, [hides, approval({ when: ["pay"] })]);
    expect(payload).toEqual({ tool: "pay", input: masked });
    await world.answer(sessionId, "toolu_p", { approved: true });
    expect(ran).toEqual([{ euros: 50, to: "Ada", key: "key-7" }]);
  });

  it("H3 hides no part of what the model wrote, or the schema adds", async () => {
    const { payload } = await asked(asks, [edit({ key: "key-7" }, false)]);
    expect(payload).toEqual({ euros: 500, to: "Ada", key: "[hidden]" });
  });

  it("H3 hides the names of fields that neither the model wrote nor the tool's schema has", async () => {
    const open = tool({ ...options, name: "pay", input: z.looseObject({ euros: z.number() }), suspends });
    for (const change of [{ "name-7": 1 }, { to: { "name-7": 1 } }])
      expect((await asked(open, [edit(change, false)])).payload).toEqual({
        euros: 500,
        "[hidden]": "[hidden]",
      });
    const within = named("edit", {
      beforeTool: () => ({ input: { euros: 500, to: "Ada", tags: { a: 1, "name-7": 1 } }, shown: false }),
    });
    const tagged = tool({ ...options, name: "pay", input: tags, suspends });
    expect((await asked(tagged, [within])).payload).toEqual({
      ...{ euros: 500, to: "Ada" },
      tags: { a: 1, "[hidden]": "[hidden]" },
    });
  });

  it("H3 shows the whole input if the hook does not hide it, also to a person who approves", async () => {
    const { payload } = await asked(runs, [edit({ key: "k" }), approval({ when: ["pay"] })]);
    expect(payload).toEqual({ tool: "pay", input: { euros: 500, to: "Ada", key: "k" } });
  });

  it("H3 shows what the application itself puts into it, and a page that runs the tool gets the input", async () => {
    const own = tool({
      ...options,
      name: "pay",
      suspends: { answer: z.string(), payload: ({ key = "" }) => ({ key }) },
    });
    expect((await asked(own, [hides])).payload).toEqual({ key: "key-7" });
    expect((await asked(onPage, [hides])).payload).toEqual({ euros: 50, to: "Ada", key: "key-7" });
  });
});
