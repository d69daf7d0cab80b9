import { agent, memoryStore, runtime } from "@pawl/core";
import { type Reply, strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { connectorAgent } from "../src/index.ts";
import { connectTo, serve } from "./support/servers.ts";
import { done, taskServer } from "./support/task-server.ts";
import { text } from "./support/world.ts";

it("T14 one sub-agent per connector is named after it, and its server's questions reach the user", async () => {
  const served = serve((server) => {
    server.registerTool("it", {}, async (ctx) =>
      ctx.mcpReq.inputResponses === undefined
        ? ({
            resultType: "input_required",
            inputRequests: {
              q: {
                method: "elicitation/create",
                params: {
                  mode: "form",
                  message: "Which?",
                  requestedSchema: { type: "object", properties: {} },
                },
              },
            },
          } as never)
        : text("found"),
    );
  });
  const work = strictModel({
    script: [{ tools: [{ name: "mcp__test__it", id: "w1", input: {} }] }, { text: "Found it." }],
  });
  const ask = connectorAgent(connectTo(served), { model: work, description: "Finds things." });
  const model = strictModel({
    script: [{ tools: [{ name: "mcp__test", id: "c1", input: { task: "Find it." } }] }, { text: "Here." }],
  });
  const boss = agent({ name: "boss", model, instructions: "You ask.", tools: [ask] });
  const store = memoryStore();
  const pawl = runtime({ agents: [boss], store });
  const { sessionId, pending } = await pawl.run(boss, { userId: "u", input: "Go" }).result;
  expect(pending).toMatchObject([{ callId: "c1", kind: "elicitation", payload: { message: "Which?" } }]);
  const answers = [{ callId: "c1", value: { action: "accept", content: {} } }];
  const { actions } = await pawl.run(boss, { userId: "u", sessionId, answers }).result;
  expect(actions[0]).toMatchObject({ tool: "mcp__test", success: true, result: "Found it." });
  const events = await Array.fromAsync(store.read(sessionId, { types: ["tool_started"] }));
  expect(events[0]?.data).toMatchObject({ tool_name: "mcp__test", agent: "mcp::test" });
});

it("T14 F24 a sub-agent waits for its server's task, and a stop of the caller stops the task", async () => {
  const served = taskServer((task, times) => {
    if (times === 1 && served.tasks.size === 1)
      Object.assign(task, { status: "completed", result: done("found") });
  });
  const boot = () => {
    const script: Reply[] = [
      { tools: [{ name: "mcp__test__it", id: "w1", input: {} }] },
      { text: "Found it." },
    ];
    const ask = connectorAgent(connectTo(served), { model: strictModel({ script }), description: "Finds." });
    const call = { tools: [{ name: "mcp__test", id: "c1", input: { task: "Find it." } }] };
    const model = strictModel({ script: [call, { text: "Here." }] });
    const boss = agent({ name: "boss", model, instructions: "You ask.", tools: [ask] });
    return runtime({ agents: [boss], store: memoryStore(), times: { abortGraceMs: 20 } });
  };
  const { actions } = await boot().run("boss", { userId: "u", input: "Go" }).result;
  expect(actions[0]).toMatchObject({ success: true, result: "Found it." });
  const pawl = boot();
  const run = pawl.run("boss", { userId: "u", input: "Go" });
  const { sessionId } = await run.started;
  await expect.poll(() => served.polls()).toBe(3);
  await pawl.stop(sessionId, { userId: "u" });
  expect((await run.result).stop.type).toBe("aborted");
  await expect.poll(() => served.cancelled).toEqual(["task_2"]);
});

it("T14 is refused without a server", () => {
  expect(() => connectorAgent(undefined as never, {} as never)).toThrow(/made by mcpServer/);
});
