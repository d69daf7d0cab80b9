import { expect, it } from "vitest";
import { type EventStore, memoryStore, PawlError, tool } from "../../../src/index.ts";
import { setup, stored, user } from "../../support/setup.ts";
import { has } from "../../support/stores.ts";
import { ask, nothing, question } from "../../support/tools.ts";

it("P4 accepts an answer whose running leg cannot read the log at that moment", async () => {
  const gate = Promise.withResolvers<string>();
  const slow = tool({ name: "slow", description: "", input: nothing, execute: () => gate.promise });
  const inner = memoryStore();
  let isBroken = false;
  const store: EventStore = {
    ...inner,
    append: async (id, events, options) => {
      const rows = await inner.append(id, events, options);
      isBroken = has(events, "tool_answered");
      return rows;
    },
    read: (id, options) => {
      if (!isBroken) return inner.read(id, options);
      isBroken = false;
      throw new PawlError("store_unavailable", "The connection broke.");
    },
  };
  const calls = [
    { ...question, input: {} },
    { name: "slow", input: {} },
  ];
  const { pawl, log, of } = setup([{ tools: calls }, { text: "Done." }], { tools: [ask, slow] }, { store });
  await inner.sessions.create({ id: "s1", ...user, agent: "tester" });
  const run = pawl.run("tester", { ...user, sessionId: "s1", input: "Go" });
  await stored({ log }, "s1", "tool_suspended");
  const answers = [{ callId: question.id, value: "Yes" }];
  const answered = pawl.run("tester", { ...user, sessionId: "s1", answers });
  expect((await answered.started).sessionId).toBe("s1");
  gate.resolve("seen");
  expect((await run.result).stop.type).toBe("end_turn");
  expect(await of("s1", "tool_answered")).toHaveLength(1);
});
