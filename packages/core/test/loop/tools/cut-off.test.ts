import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, type Hook, memoryStore, runtime, tool } from "../../../src/index.ts";
import { setup, until, user } from "../../support/setup.ts";
import { nothing } from "../../support/tools.ts";

const UNKNOWN = "The outcome of this call is unknown: the run was stopped before it finished.";
const BESIDE = "Its error: The bank has hung up.";

/** A payment that takes effect, and then fails once its signal aborts. */
function payment(options: { idempotent?: boolean } = {}) {
  const begun = Promise.withResolvers<void>();
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: nothing,
    ...options,
    execute: async (_input, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("The bank has hung up.");
    },
  });
  return { pay, begun: begun.promise };
}

const calls = [{ tools: [{ name: "pay", id: "toolu_p" }] }, { text: "Hm." }];

describe("a call that was cut off and failed", () => {
  it("B3 L9 has an unknown outcome for the model, the view, the actions and the hooks, after a stop", async () => {
    const { pay, begun } = payment();
    const heard: unknown[] = [];
    const hook: Hook = {
      name: "ear",
      afterTool: ({ result }) => void heard.push(result),
      afterRun: ({ actions }) => void heard.push(actions[0]?.result),
    };
    const { pawl, say, model } = setup([...calls, { text: "Fine." }], { tools: [pay], hooks: [hook] });
    const run = pawl.run("tester", { ...user, input: "Pay." });
    const { sessionId } = await run.started;
    await begun;
    await pawl.stop(sessionId, user);
    const { actions } = await run.result;
    const shown = [...new Set([actions[0]?.result, ...heard])];
    expect(shown).toEqual([expect.stringContaining(UNKNOWN)]);
    expect(shown[0]).toContain(BESIDE);
    const { messages } = await pawl.view(sessionId, user);
    expect(messages[1]?.parts[0]).toMatchObject({ phase: "error", result: shown[0] });
    await say("And?", { sessionId });
    expect(JSON.stringify(model.requests.at(-1))).toContain(UNKNOWN);
  });

  it("B3 L4 has an unknown outcome if the run's time was over, or was needed for the last turn", async () => {
    for (const wallClockMs of [60, 3_000]) {
      const { pay } = payment();
      const limits = { wallClockMs };
      const { say } = setup(calls, { tools: [pay], limits });
      const { actions } = await say("Pay.");
      expect(actions[0]?.result).toContain(UNKNOWN);
      expect(actions[0]?.result).toContain(BESIDE);
    }
  });

  it("B3 fails with its own error if the tool is idempotent: the model may repeat the call", async () => {
    const { pay, begun } = payment({ idempotent: true });
    const { pawl } = setup(calls, { tools: [pay] });
    const run = pawl.run("tester", { ...user, input: "Pay." });
    const { sessionId } = await run.started;
    await begun;
    await pawl.stop(sessionId, user);
    expect((await run.result).actions[0]?.result).toBe("The bank has hung up.");
  });

  it("B3 makes the task of its sub-agent one with an unknown outcome", async () => {
    const { pay, begun } = payment();
    const { model } = setup([{ tools: [{ name: "clerk", input: {} }] }]);
    const inner = setup(calls);
    const clerk = agent({ name: "clerk", instructions: "You pay.", model: inner.model, tools: [pay] });
    const boss = agent({
      name: "boss",
      instructions: "You delegate.",
      model,
      tools: [
        agentTool({
          agent: clerk,
          name: "clerk",
          description: "Pays.",
          input: nothing,
          message: () => "Pay.",
        }),
      ],
    });
    const pawl = runtime({ agents: [boss, clerk], store: memoryStore() });
    const run = pawl.run("boss", { ...user, input: "Pay." });
    const { sessionId } = await run.started;
    await begun;
    await pawl.stop(sessionId, user);
    const { actions } = await run.result;
    expect(actions[0]?.result).toMatch(/^The outcome of this call is unknown: .* The agent did not finish: /);
  });

  it("B3 has an unknown outcome if a page was to run it", async () => {
    const print = tool({
      name: "print",
      description: "Prints.",
      input: nothing,
      output: z.string(),
      runsIn: "client",
    });
    const script = [{ tools: [{ name: "print", id: "toolu_p" }] }, { text: "Hm." }];
    const { pawl, say, of } = setup(script, { tools: [print] });
    const { sessionId } = await say("Print.");
    await pawl.stop(sessionId, user);
    await until(async () => (await of(sessionId, "run_ended")).length > 0);
    const [result] = await of(sessionId, "tool_result");
    expect(result?.data.success).toBe(false);
    expect(result?.data.result).toContain("The outcome of this call is unknown");
  });
});
