import { type Reply, strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { agent, agentTool, memoryStore, PawlError, runtime, type Tool, tool } from "../../../src/index.ts";

const find = (connector: string) =>
  tool({
    name: `find_${connector}`,
    description: "Finds.",
    input: z.object({ ids: z.array(z.string()) }),
    execute: ({ ids }, { report }) => {
      report({ connector, fragments: ids, costUsd: 0.01 });
      return "Found.";
    },
  });
const finds = (connector: string, ...ids: string[]) => ({ name: `find_${connector}`, input: { ids } });

/** The result of a task whose agent makes these calls, one turn each. */
async function resultOf(work: readonly Reply[], tools: Tool[] | (() => Tool[])) {
  const helper = agent({
    name: "helper",
    model: strictModel({ script: work }),
    instructions: "You find things.",
    tools,
  });
  const boss = agent({
    name: "boss",
    model: strictModel({
      script: [{ tools: [{ name: "helper", input: { task: "Go" } }] }, { text: "Done." }],
    }),
    instructions: "You ask.",
    tools: [agentTool({ agent: helper, description: "Finds." })],
  });
  const store = memoryStore();
  const { sessionId } = await runtime({ agents: [boss], store }).run(boss, { userId: "u", input: "Go" })
    .result;
  const [event] = await Array.fromAsync(store.read(sessionId, { types: ["tool_result"] }));
  return event?.data as { success: boolean; report?: object; spent?: { cost_cents: number } };
}

it("F22 the call of a sub-agent has the fragments of its task, and the connector if there is one", async () => {
  const [mail, chat] = [find("mail"), find("chat")];
  const one = [
    { tools: [finds("mail", "m1", "m2")] },
    { tools: [finds("mail", "m2", "m3")] },
    { text: "Ok." },
  ];
  expect(await resultOf(one, [mail])).toMatchObject({
    ...{ success: true, report: { connector: "mail", fragments: ["m1", "m2", "m3"] } },
    spent: { cost_cents: 2 },
  });
  const two = [{ tools: [finds("mail", "m1"), finds("chat", "c1")] }, { text: "Ok." }];
  expect((await resultOf(two, [mail, chat])).report).toEqual({ fragments: ["m1", "c1"] });
  expect(await resultOf([{ text: "Ok." }], [mail])).not.toHaveProperty("report");
});

it("F22 a task that cannot begin is an error with the error's code", async () => {
  const down = () => {
    throw new PawlError("store_unavailable", "It is down.");
  };
  expect(await resultOf([], down)).toMatchObject({ success: false, report: { code: "tools_failed" } });
});
