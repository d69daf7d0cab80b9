import type { ChildProcess } from "node:child_process";
import { describe, it, type TestContext } from "vitest";
import { mcpServer } from "../src/index.ts";
import { freePort, node, reference, startEverything } from "./support/servers.ts";
import { calls, parked, resultOf, sweepUntil, world } from "./support/world.ts";

const stdio = ({ onTestFinished }: TestContext) => {
  const server = mcpServer({ name: "test", command: node, args: [reference("everything"), "stdio"] });
  onTestFinished(() => server.close());
  return server;
};

async function http({ onTestFinished }: TestContext) {
  const port = await freePort();
  const children: ChildProcess[] = [];
  // Vitest calls the last one first, so connections are closed while their server still runs.
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  const start = async () => {
    const child = await startEverything(port);
    children.push(child);
    return child;
  };
  const child = await start();
  const connect = () => {
    const made = mcpServer({ name: "test", url: `http://127.0.0.1:${port}/mcp` });
    onTestFinished(() => made.close());
    return made;
  };
  return { connect, child, start };
}

// Side by side, because their tasks take seconds of waiting.
describe.concurrent("the reference server's tasks, of 2025-11-25", () => {
  it("F24 T14 over stdio: a tool that requires a task has a result", async (context) => {
    const { expect } = context;
    const one = world([stdio(context)], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.say("Go");
    expect(await one.of(sessionId, "run_suspended")).not.toEqual([]);
    const { success, result } = await resultOf(one, sessionId);
    expect(success).toBe(true);
    expect(JSON.stringify(result)).toMatch(/Research Report: tea/);
  }, 120_000);

  it("F24 T14 over stdio: what the task asks is cancelled at once, and it goes on", async (context) => {
    const { expect } = context;
    const one = world([stdio(context)], calls("simulate-research-query", { topic: "tea", ambiguous: true }));
    const { sessionId } = await one.say("Go");
    expect(JSON.stringify((await resultOf(one, sessionId)).result)).toMatch(/User cancelled/);
  }, 120_000);

  it("F24 T14 over HTTP: the task is continued by another process, in the session that has it", async (context) => {
    const { expect } = context;
    const { connect } = await http(context);
    const first = world([connect()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await first.begin("Go");
    await parked(first, sessionId);
    await first.pawl.drain();
    await first.tools.close();
    const second = world([connect()], calls("simulate-research-query").slice(1), { store: first.store });
    await sweepUntil(second, sessionId);
    const { success, result } = await resultOf(second, sessionId);
    expect(success).toBe(true);
    expect(JSON.stringify(result)).toMatch(/Research Report: tea/);
  }, 120_000);

  it("F24 over HTTP: a task whose server has started again has an unknown outcome", async (context) => {
    const { expect } = context;
    const { connect, child, start } = await http(context);
    const one = world([connect()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    child.kill("SIGKILL");
    await start();
    await sweepUntil(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/does not know its task any more.*may still be running/),
    });
  }, 120_000);
});

describe("a task of the reference server", () => {
  it("L9 F24 over HTTP: a task is stopped with its run", async (context) => {
    const { expect } = context;
    const { connect } = await http(context);
    const one = world([connect()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await sweepUntil(one, sessionId);
    // The server confirms that the task is cancelled.
    expect(await one.of(sessionId, "note")).toEqual([]);
  }, 120_000);
});
