import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { type McpServer, mcpServer } from "../src/index.ts";
import { freePort, node, serve, startEverything } from "./support/servers.ts";
import { calls, resultOf, text, world } from "./support/world.ts";

const children: ChildProcess[] = [];
const open: McpServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts the reference server over HTTP, which keeps a session for each client. */
async function everything(port: number): Promise<ChildProcess> {
  const child = await startEverything(port);
  children.push(child);
  return child;
}

function connect(url: string): McpServer {
  const server = mcpServer({ name: "test", url });
  open.push(server);
  return server;
}

async function echo(server: McpServer, message: string) {
  const one = world([server], calls("echo", { message }));
  const { sessionId } = await one.say("Go");
  return await resultOf(one, sessionId);
}

describe("a server over HTTP", () => {
  it("F24 T14 of an older protocol is called, and again after it has forgotten the session", async () => {
    const port = await freePort();
    const first = await everything(port);
    const server = connect(`http://127.0.0.1:${port}/mcp`);
    expect(await echo(server, "one")).toMatchObject({ success: true });
    first.kill("SIGKILL");
    await once(first, "exit");
    expect(await echo(server, "down")).toMatchObject({ success: false, report: { code: "mcp_unreachable" } });
    await everything(port);
    expect((await echo(server, "two")).result).toMatchObject({ content: [{ text: "Echo: two" }] });
  });

  it("T14 of an older protocol does not keep a script running", async () => {
    const port = await freePort();
    await everything(port);
    const source = (file: string) => JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));
    const script = `
      const { mcpServer } = await import(${source("../src/index.ts")});
      const { callOnce } = await import(${source("support/call-once.ts")});
      const server = mcpServer({ name: "test", url: "http://127.0.0.1:${port}/mcp" });
      console.log(await callOnce(server, "mcp__test__get-tiny-image") === "" ? "nothing" : "called");
    `;
    const args = ["--conditions=@pawl/source", "--input-type=module", "-e", script];
    const { stdout } = await promisify(execFile)(node, args, {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      timeout: 15_000,
    });
    expect(stdout).toBe("called\n");
  });

  it("F24 that drops the socket in the middle of an answer fails at once with an unknown outcome", async () => {
    let ran = 0;
    const served = serve((server) => {
      server.registerTool("echo", {}, async () => {
        ran += 1;
        return text("ran");
      });
    });
    const http = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const answer = await served.fetch(`http://127.0.0.1${request.url}`, {
        method: request.method ?? "POST",
        headers: request.headers as Record<string, string>,
        ...(body !== "" && { body }),
      });
      if (body.includes('"tools/call"')) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": soon\n\n");
        setTimeout(() => response.destroy(), 20);
        return;
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    }).listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const server = connect(`http://127.0.0.1:${port}/mcp`);
    const begin = performance.now();
    expect(await echo(server, "x")).toMatchObject({
      success: false,
      report: { code: "mcp_outcome_unknown" },
    });
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(ran).toBe(1);
    http.closeAllConnections();
    http.close();
  });
});
