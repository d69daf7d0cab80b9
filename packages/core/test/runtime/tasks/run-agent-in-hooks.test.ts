import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type Agent, agent, type Hook } from "../../../src/index.ts";
import { atEveryAppend, eventsOf } from "../../support/every-append.ts";
import { asker, boot, worker } from "../../support/flows.ts";
import { setup } from "../../support/setup.ts";

describe("context.runAgent() in a hook", () => {
  const hooked = (hook: Hook) =>
    agent({
      name: "caller",
      model: scriptedModel(() => ({ text: "Done." })),
      instructions: "x",
      hooks: [hook],
    }) as Agent;

  it("F35 F20 passes a question up before a run or a turn, wherever the process dies", async () => {
    for (const method of ["beforeRun", "beforeTurn"] as const) {
      const made = () => {
        const helper = asker("helper");
        const hook: Hook = {
          name: "flow",
          [method]: async (...args: unknown[]) => {
            const { runAgent, append, answer } = args.at(-1) as Parameters<Hook["beforeRun"] & object>[0];
            expect(answer).toBe(undefined);
            const { text } = await runAgent(helper, "go", { key: "helper" });
            await append({ type: "note", key: "flow", data: { text } });
          },
        };
        return hooked(hook);
      };
      const deaths = await atEveryAppend({
        agent: "caller",
        boot: (store) => boot(made)(store),
        answer: () => "yes" as never,
        check: ({ text, stop }, all, where) => {
          expect({ where, text, type: stop.type }).toEqual({ where, text: "Done.", type: "end_turn" });
          expect(eventsOf(all, "note", "s").map(({ data }) => data.text)).toEqual(["helper: yes"]);
          expect(eventsOf(all, "task_started")).toHaveLength(1);
          expect(eventsOf(all, "error")).toEqual([]);
        },
      });
      expect(deaths).toBeGreaterThan(15);
    }
  });

  it("F35 H2 judges each turn by an agent in afterTurn, where it can pass on no question", async () => {
    const judge = worker("judge", (text) => ({ text: text.includes("A draft.") ? "Shorter." : "Good." }));
    const hook: Hook = {
      name: "judge",
      afterTurn: async ({ assistantSeq }, { run: { texts }, runAgent }) => {
        const { text } = await runAgent(judge, texts.at(-1) ?? "", { key: `${assistantSeq}` });
        return text === "Good." ? undefined : { continue: text };
      },
    };
    const at = setup([{ text: "A draft." }, { text: "Short." }], { hooks: [hook] });
    const { sessionId, stop, turns } = await at.say("Write");
    expect({ type: stop.type, turns }).toEqual({ type: "end_turn", turns: 2 });
    expect(await at.of(sessionId, "task_started")).toHaveLength(2);
    const helper = asker("helper");
    const asking: Hook = {
      name: "asking",
      afterTurn: async (_, { runAgent }) => void (await runAgent(helper, "go", { key: "k" })),
    };
    expectPrinted('afterTurn of "asking" (agent "tester"): An agent asks the user.');
    const other = setup([{ text: "A draft." }], { hooks: [asking] });
    const result = await other.say("Write");
    expect(result.stop.type).toBe("end_turn");
    expect((await other.of(result.sessionId, "error")).map(({ data }) => data.message)).toEqual([
      'afterTurn of "asking": An agent asks the user. A hook can pass that on in beforeRun and beforeTurn.',
    ]);
    for (const { openRun } of await other.store.sessions.list({ userId: "u1" })) expect(openRun).toBe(null);
  });
});
