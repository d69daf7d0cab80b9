import type { ChildProcess } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { type McpServer, mcpServer } from "../src/index.ts";
import { freePort, node, reference, startEverything } from "./support/servers.ts";
import { calls, parked, resultOf, sweepUntil, world } from "./support/world.ts";

const children: ChildProcess[] = [];
const open: McpServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const stdio = () => {
  const server = mcpServer({ name: "test", command: node, args: [reference("everything"), "stdio"] });
  open.push(server);
  return server;
};

async function http() {
  const port = await freePort();
  const child = await startEverything(port);
  children.push(child);
  const connect = () => {
    const made = mcpServer({ name: "test", url: `http://127.0.0.1:${port}/mcp` });
    open.push(made);
    return made;
  };
  return { connect, child, port };
}

describe("the reference server's tasks, of 2025-11-25", () => {
  it("F24 T14 over stdio: a tool that requires a task has a result", async () => {
    const one = world([stdio()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.say("Go");
    expect(await one.of(sessionId, "run_suspended")).not.toEqual([]);
    const { success, result } = await resultOf(one, sessionId);
    expect(success).toBe(true);
    expect(JSON.stringify(result)).toMatch(/Research Report: tea/);
  }, 20_000);

  it("F24 T14 over stdio: what the task asks is cancelled at once, and it goes on", async () => {
    const one = world([stdio()], calls("simulate-research-query", { topic: "tea", ambiguous: true }));
    const { sessionId } = await one.say("Go");
    expect(JSON.stringify((await resultOf(one, sessionId)).result)).toMatch(/User cancelled/);
  }, 20_000);

  it("F24 T14 over HTTP: the task is continued by another process, in the session that has it", async () => {
    const { connect } = await http();
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
  }, 20_000);

  it("F24 over HTTP: a task whose server has started again has an unknown outcome", async () => {
    const { connect, child, port } = await http();
    const one = world([connect()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    child.kill("SIGKILL");
    children.push(await startEverything(port));
    await sweepUntil(one, sessionId);
    expect(await resultOf(one, sessionId)).toMatchObject({
      success: false,
      result: expect.stringMatching(/does not know its task any more.*may still be running/),
    });
  }, 20_000);

  it("L9 F24 over HTTP: a task is stopped with its run", async () => {
    const { connect } = await http();
    const one = world([connect()], calls("simulate-research-query", { topic: "tea" }));
    const { sessionId } = await one.begin("Go");
    await parked(one, sessionId);
    await one.pawl.stop(sessionId, { userId: "u1" });
    await sweepUntil(one, sessionId);
    // The server confirms that the task is cancelled.
    expect(await one.of(sessionId, "note")).toEqual([]);
  }, 20_000);
});
