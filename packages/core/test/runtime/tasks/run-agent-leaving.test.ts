import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { until } from "../../../../../test/support/until.ts";
import { type Agent, agent, type EventStore, type Hook, memoryStore, tool } from "../../../src/index.ts";
import { eventsOf, OWNER } from "../../support/every-append.ts";
import { boot, caller, create, flowTool, worker } from "../../support/flows.ts";

/**
 * Lets a process leave the run while the agent is working, and a second one continue. The first one leaves at
 * once in the middle of a model's answer, or has the time to end a turn.
 */
async function deployed(made: (helper: Agent) => Agent, hasTime: boolean) {
  const store = memoryStore();
  await create(store);
  const begun = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    execute: async () => {
      begun.resolve();
      await ends.promise;
      return "seen";
    },
  });
  const slow = (text: string): Reply => {
    if (hasTime && !text.includes("tool_result")) return { tools: [{ name: "look", input: {} }] };
    begun.resolve();
    return { text: "Never read to its end.", latencyMs: 60_000 };
  };
  const old = boot(() => made(worker("helper", slow, { tools: [look] })))(store);
  const handle = old.run("caller", { ...OWNER, input: "go" });
  const left = handle.result.then(
    () => "ended",
    (error: { code?: string }) => error.code,
  );
  await begun.promise;
  const drained = old.drain(hasTime ? {} : { timeoutMs: 0 });
  ends.resolve();
  await drained;
  expect(await left).toBe("draining");
  const quick = worker("helper", () => ({ text: "helped" }), { tools: [look] });
  const next = boot(() => made(quick))(store);
  await next.sweep();
  await until(async () => (await store.sessions.get("s"))?.openRun === null);
  return { quick, all: await allOf(store) };
}

async function allOf(store: EventStore) {
  const sessions = await store.sessions.list({ userId: OWNER.userId });
  const logs = sessions.map(async ({ id }) => [id, await Array.fromAsync(store.read(id))] as const);
  return new Map(await Promise.all(logs));
}

describe("a deploy while context.runAgent() waits", () => {
  it.each<[string, (helper: Agent) => Agent]>([
    [
      "in a tool",
      (helper) =>
        caller(
          flowTool(async (_, { runAgent }) => (await runAgent(helper, "go", { key: "k" })).text),
        ) as Agent,
    ],
    [
      "in a hook",
      (helper) => {
        const hook: Hook = {
          name: "flow",
          beforeRun: async ({ runAgent, append }) => {
            const { text } = await runAgent(helper, "go", { key: "k" });
            await append({ type: "note", key: "helped", data: { text } });
          },
        };
        const model = scriptedModel(() => ({ text: "Done." }));
        return agent({ name: "caller", model, instructions: "x", hooks: [hook] }) as Agent;
      },
    ],
  ])("F35 F25 leaves the task to the next process, which continues it: %s", async (_, made) => {
    for (const hasTime of [false, true]) {
      const { all, quick } = await deployed(made, hasTime);
      expect(quick.model.requests).toHaveLength(1);
      expect(eventsOf(all, "run_left").map(({ data }) => data.reason)).toEqual(["draining", "draining"]);
      expect(eventsOf(all, "error")).toEqual([]);
      expect(eventsOf(all, "task_started")).toHaveLength(1);
      expect(eventsOf(all, "run_ended").map(({ data }) => data.stop.type)).toEqual(["end_turn", "end_turn"]);
      expect(eventsOf(all, "spending", "s").filter(({ data }) => data.task_over)).toHaveLength(1);
      expect(
        JSON.stringify(eventsOf(all, "tool_result", "s").concat(eventsOf(all, "note", "s") as never)),
      ).toContain("helped");
    }
  });
});
