import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type McpServer, type McpServerOptions, mcpServer } from "../src/index.ts";
import { freePort, isAlive, node, serve, startEverything } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const program = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const open: McpServer[] = [];
let folder = "";
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-mcp-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A server over stdio that notes each of its processes. */
function noting(options: Partial<McpServerOptions> = {}) {
  count += 1;
  const STARTS = join(folder, `starts-${count}`);
  writeFileSync(STARTS, "");
  const server = mcpServer({
    name: "test",
    command: node,
    args: [program],
    protocol: "modern",
    env: { STARTS },
    ...options,
  });
  open.push(server);
  const pids = () => readFileSync(STARTS, "utf8").split("\n").filter(Boolean).map(Number);
  return { server, pids, alive: () => pids().filter(isAlive) };
}

async function call(server: McpServer, tool: string) {
  const one = world([server], calls(tool));
  const { sessionId } = await one.say("Go");
  return await resultOf(one, sessionId);
}

describe("the processes of servers over stdio", () => {
  it("T14 are one for any number of runs at once, and none after `close()`", async () => {
    const { server, pids, alive } = noting();
    await Promise.all(Array.from({ length: 10 }, () => call(server, "pid")));
    // The first one was asked for its protocol.
    expect(pids()).toHaveLength(2);
    expect(alive()).toHaveLength(1);
    await server.close();
    expect(alive()).toEqual([]);
  });

  it("T14 end when nobody has used them for `idleMs`, and begin again when they are needed", async () => {
    const { server, pids, alive } = noting({ idleMs: 150 });
    await call(server, "pid");
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: 5_000 });
    expect(await call(server, "pid")).toMatchObject({ success: true });
    expect(pids()).toHaveLength(3);
    expect(alive()).toHaveLength(1);
  });

  it("T14 are not idle while a call runs", async () => {
    const { server, alive } = noting({ idleMs: 100, timeoutMs: 600 });
    const running = call(server, "hang");
    expect(await running).toMatchObject({ success: false });
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: 5_000 });
  });

  it("T14 end with a server that dies again and again", async () => {
    const { server, alive } = noting();
    for (let n = 0; n < 3; n += 1) expect(await call(server, "die")).toMatchObject({ success: false });
    expect(alive()).toHaveLength(0);
    expect(await call(server, "pid")).toMatchObject({ success: true });
    expect(alive()).toHaveLength(1);
  });

  it.each([
    ["says nothing", "setInterval(() => undefined, 1e6);"],
    ["says nonsense", 'setInterval(() => console.log("no JSON"), 10);'],
    ["says JSON that is no message", 'setInterval(() => console.log("{\\"jsonrpc\\":1}"), 10);'],
  ])("T14 end with a program that %s", async (_, source) => {
    const script = join(folder, `silent-${count}.mjs`);
    writeFileSync(
      script,
      `import { appendFileSync } from "node:fs";
       appendFileSync(process.env.STARTS, process.pid + "\\n");
       ${source}`,
    );
    const { server, pids, alive } = noting({ args: [script], connectTimeoutMs: 500, protocol: "auto" });
    const one = world([server], [{ text: "Ok." }]);
    await one.say("Go");
    expect(one.errors).toHaveLength(1);
    expect(pids().length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: 8_000 });
  });

  it("F24 C13 may get new tools while they run: the next run has them, under a new prefix", async () => {
    const { server } = noting({ listTtlMs: 0 });
    const one = world(
      [server],
      [
        ...calls("grow").slice(0, 2),
        { tools: [{ name: "mcp__test__grown", id: "c2", input: {} }] },
        { text: "Ok." },
      ],
    );
    const { sessionId } = await one.say("Go");
    await one.say("Go", { sessionId });
    const [, second] = await one.of(sessionId, "prefix");
    expect(second?.data.tools.map(({ name }) => name)).toContain("mcp__test__grown");
    const results = await one.of(sessionId, "tool_result");
    expect(results.map(({ data }) => data.success)).toEqual([true, true]);
  });

  it("F24 T14 may say 5,000 times that their tools have changed, and the list is read once per run", async () => {
    const { server } = noting();
    const begin = performance.now();
    expect(await call(server, "storm")).toMatchObject({ success: true });
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it("T14 end if the server is closed while it starts", async () => {
    const { server, pids, alive } = noting();
    const listing = server.listTools({ userId: "u" }).catch(() => undefined);
    await vi.waitFor(() => expect(pids()).toHaveLength(1), { timeout: 5_000 });
    await server.close();
    await listing;
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: 5_000 });
  });
});

describe("connections over HTTP", () => {
  it("T14 of an older server end there, too, so that it can forget the session", async () => {
    const port = await freePort();
    const child = await startEverything(port);
    const methods: (string | undefined)[] = [];
    const server = mcpServer({
      name: "test",
      url: `http://127.0.0.1:${port}/mcp`,
      idleMs: 100,
      fetch: (input, init) => {
        methods.push(init?.method);
        return fetch(input, init);
      },
    });
    open.push(server);
    await server.listTools({ userId: "u" });
    await vi.waitFor(() => expect(methods.at(-1)).toBe("DELETE"), { timeout: 5_000 });
    expect(await server.listPrompts({ userId: "u" })).not.toEqual([]);
    child.kill("SIGKILL");
  });

  it("T14 F24 fail at once if the server goes away in the middle of a call, and the next one works", async () => {
    const served = serve((server) => {
      server.registerTool("it", {}, async () => text("ran"));
    });
    let isFirst = true;
    const http = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      if (body.includes('"tools/call"') && isFirst) {
        isFirst = false;
        request.socket.destroy();
        return;
      }
      const answer = await served.fetch(`http://127.0.0.1${request.url}`, {
        method: request.method ?? "POST",
        headers: request.headers as Record<string, string>,
        ...(body !== "" && { body }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => http.once("listening", resolve));
    const { port } = http.address() as AddressInfo;
    const server = mcpServer({ name: "test", url: `http://127.0.0.1:${port}/mcp` });
    open.push(server);
    const begin = performance.now();
    expect(await call(server, "it")).toMatchObject({ report: { code: "mcp_outcome_unknown" } });
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(await call(server, "it")).toMatchObject({ success: true });
    http.closeAllConnections();
    http.close();
  });
});
