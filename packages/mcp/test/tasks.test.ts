import { memoryStore, type Tool } from "@pawl/core";
import { callTool } from "@pawl/core/tools";
import { describe, expect, it } from "vitest";
import { connectTo, serve } from "./support/servers.ts";
import { done, elicit, taskServer } from "./support/task-server.ts";
import { calls, parked, resultOf, settle, sweepUntil, text, world } from "./support/world.ts";

const yes = { action: "accept", content: { ok: true } };

describe("a call that becomes a task", () => {
  it("F24 T14 parks the run with the task's id in the log, and ends with the task's result", async () => {
    const served = taskServer((task, times) => {
      if (times === 2) Object.assign(task, { status: "completed", result: done("found") });
    });
    const one = world([connectTo(served)], calls("it"));
    const { sessionId } = await one.begin("Go");
    expect(await parked(one, sessionId)).toMatchObject({ task: { id: "task_1", wire: "v2" } });
    expect(served.polls()).toBe(0);
    expect((await one.pawl.view(sessionId, { userId: "u1" })).pending).toEqual([]);
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: true,
      result: { content: [{ type: "text", text: "found" }] },
      report: { connector: "mcp::test" },
    });
    expect(served.calls()).toHaveLength(1);
    expect(served.polls()).toBe(3);
    expect(served.capabilities).toEqual([
      expect.objectContaining({ extensions: { "io.modelcontextprotocol/tasks": {} } }),
    ]);
  });

  it("F24 T14 is continued by another process, which sends nothing twice", async () => {
    const served = taskServer((task, times) => {
      if (times === 1) Object.assign(task, { status: "completed", result: done("found") });
    });
    const store = memoryStore();
    const first = world([connectTo(served)], calls("it"), { store });
    const { sessionId } = await first.begin("Go");
    await parked(first, sessionId);
    await first.pawl.drain();
    await first.tools.close();
    const second = world([connectTo(served)], calls("it").slice(1), { store });
    await sweepUntil(second, sessionId);
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true });
    expect(served.calls()).toHaveLength(1);
  });

  it("F24 P1 asks the user what the task asks, once per key, and sends all answers together", async () => {
    const served = taskServer((task) => {
      if (served.updates.length === 0)
        Object.assign(task, {
          status: "input_required",
          inputRequests: { a: elicit("A?"), b: elicit("B?") },
        });
      // The answers take a while to be seen.
      else if (served.polls() > 3) Object.assign(task, { status: "completed", result: done("both") });
    });
    const store = memoryStore();
    const one = world([connectTo(served)], calls("it"), { store });
    const { sessionId } = await one.say("Go");
    for (const message of ["A?", "B?"]) {
      expect(await settle(one, sessionId)).toMatchObject({ kind: "elicitation", payload: { message } });
      await one.answer(sessionId, yes);
    }
    expect(await settle(one, sessionId)).toBeUndefined();
    expect(served.updates).toEqual([{ a: yes, b: yes }]);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it.each([
    {
      how: "fails",
      seen: { status: "failed", error: { code: -32_603, message: "No disk." } },
      code: "mcp_task_failed",
      result: /"test": No disk\./,
    },
    {
      how: "is cancelled by the server",
      seen: { status: "cancelled", statusMessage: "Maintenance." },
      code: "mcp_task_failed",
      result: /cancelled the task of this call. Maintenance\./,
    },
    {
      how: "ends with a tool's error",
      seen: { status: "completed", result: { ...done("No such city."), isError: true } },
      code: "mcp_tool_error",
      result: /^No such city\.$/,
    },
    {
      how: "ends with nonsense",
      seen: { status: "completed", result: { content: "x" } },
      code: "mcp_unusable_result",
      result: /result cannot be used/,
    },
    {
      how: "is described with nonsense",
      seen: { status: "maybe" },
      code: "mcp_outcome_unknown",
      result: /may still be running/,
    },
    {
      how: "is described as another task",
      seen: { taskId: "task_of_bob", status: "completed", result: done("of bob") },
      code: "mcp_outcome_unknown",
      result: /may still be running/,
    },
  ])("F24 T14 $how: a clear error", async ({ seen, code, result }) => {
    const served = taskServer((task) => void Object.assign(task, seen));
    const one = world([connectTo(served, { taskTimeoutMs: 1_000 })], calls("it"));
    const { sessionId } = await one.say("Go");
    await settle(one, sessionId);
    const data = await resultOf(one, sessionId);
    expect(data).toMatchObject({ success: false, report: { code } });
    expect(data.result).toMatch(result);
  });

  it("F24 that its server has forgotten has an unknown outcome, and is not sent again", async () => {
    const served = taskServer(() => undefined);
    const one = world([connectTo(served, { trustAnnotations: true })], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    served.tasks.clear();
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/outcome .* unknown: .*does not know its task.*may still be running/),
      report: { code: "mcp_outcome_unknown" },
    });
    expect(served.calls()).toHaveLength(1);
  });

  it.each([
    { made: { ttlMs: 600 }, options: {} },
    { made: { ttlMs: null }, options: { taskTimeoutMs: 600 } },
  ])("F24 that outlives its time has an unknown outcome: $made.ttlMs", async ({ made, options }) => {
    const served = taskServer(() => undefined, made);
    const one = world([connectTo(served, options)], calls("it"));
    const { sessionId } = await one.say("Go");
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/its time is over.*may still be running/),
    });
    expect(served.polls()).toBeGreaterThan(1);
    expect(served.cancelled).toEqual(["task_1"]);
  });

  it("F24 T14 whose server is down for a while is asked about again, and its result counts", async () => {
    const served = taskServer((task) => {
      Object.assign(task, { status: "completed", result: done("found") });
    });
    const one = world([connectTo(served, { breaker: { failures: 100 } })], calls("it"));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    served.setDown(true);
    expect(await parked(one, sessionId, 2)).toMatchObject({ failures: 1 });
    served.setDown(false);
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 hides the id of its task in the log with `stateKey`", async () => {
    const served = taskServer((task) => {
      Object.assign(task, { status: "completed", result: done("found") });
    });
    const stateKey = "s".repeat(40);
    const one = world([connectTo(served, { stateKey })], calls("it"));
    const { sessionId } = await one.say("Go");
    expect(JSON.stringify(await one.log(sessionId))).not.toContain("task_1");
    await settle(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
  });

  it("F24 T14 does not become one with `tasks: false`", async () => {
    const served = taskServer(() => undefined);
    const one = world([connectTo(served, { tasks: false })], calls("it"));
    const { sessionId } = await one.say("Go");
    expect(served.capabilities).toEqual([expect.not.objectContaining({ extensions: expect.anything() })]);
    // This server makes a task all the same.
    expect(await resultOf(one, sessionId)).toMatchObject({ report: { code: "mcp_outcome_unknown" } });
    expect(served.cancelled).toEqual([]);
  });

  it.each(["", "a\nb", "ü", "x".repeat(3_000)])(
    "F24 with an id that is not valid has an unknown outcome",
    async (taskId) => {
      const one = world([connectTo(taskServer(() => undefined, { taskId }))], calls("it"));
      const { sessionId } = await one.say("Go");
      expect(await resultOf(one, sessionId)).toMatchObject({ report: { code: "mcp_outcome_unknown" } });
    },
  );
});

describe("a tool of a server outside of a run", () => {
  const user = { userId: "u1", caller: {}, credentials: undefined, deps: undefined };

  it("T10 T14 is called like any other", async () => {
    const served = serve((server) => void server.registerTool("it", {}, async () => text("ran")));
    const server = connectTo(served);
    const source = { ...user, session: user, signal: new AbortController().signal };
    const [made] = await server.tools(source);
    const outcome = await callTool(made as Tool, {}, { userId: "u1" });
    expect(outcome).toMatchObject({ success: true, result: { content: [{ text: "ran" }] } });
  });

  it("T10 F24 waits for its task, within its time limit", async () => {
    const served = taskServer((task, times) => {
      if (times === 1) Object.assign(task, { status: "completed", result: done("found") });
    });
    const source = { ...user, session: user, signal: new AbortController().signal };
    const [made] = await connectTo(served).tools(source);
    const outcome = await callTool(made as Tool, {}, { userId: "u1" });
    expect(outcome).toMatchObject({ success: true, result: { content: [{ text: "found" }] } });
    const [short] = await connectTo(
      taskServer(() => undefined),
      { timeoutMs: 300 },
    ).tools(source);
    expect(await callTool(short as Tool, {}, { userId: "u1" })).toMatchObject({ success: false });
  });
});
