import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionView } from "@pawl/core";
import { messagesApi } from "@pawl/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { prepareDatabase } from "../../../../test/support/prepared-database.ts";
import { MAIN, type Server, startServer } from "../support/server.ts";

let dir: string;
const servers: Server[] = [];

const bundle = await bundled(MAIN);
const start = (env: Record<string, string> = {}, program = bundle): Server => {
  const server = startServer({ PAWL_DIR: dir, ...env }, program);
  servers.push(server);
  return server;
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "pawl-playground-"));
  await prepareDatabase(join(dir, "db"));
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.process.kill("SIGKILL");
    await server.exited;
  }
  await rm(dir, { recursive: true, force: true });
});

const headers = { "content-type": "application/json", cookie: `pawl_browser=${"a".repeat(43)}` };

async function say(url: string, input: string, sessionId?: string): Promise<Response> {
  const body = JSON.stringify({ input, ...(sessionId && { sessionId }) });
  return await fetch(`${url}/api/coach/runs`, { method: "POST", headers, body });
}

async function until(response: Response, text: string): Promise<void> {
  const decoder = new TextDecoder();
  let seen = "";
  for await (const chunk of response.body ?? []) {
    seen += decoder.decode(chunk as Uint8Array, { stream: true });
    if (seen.includes(text)) return;
  }
  throw new Error(`"${text}" did not come.`);
}

describe("the playground as a process", () => {
  it("W4 continues after kill -9 in the middle of an answer", { timeout: 120_000 }, async () => {
    const first = start();
    const response = await say(await first.ready, "Tell me everything about a whole week");
    const sessionId = response.headers.get("x-pawl-session") ?? "";
    await until(response, '"type":"text_delta"');
    first.process.kill("SIGKILL");
    await first.exited;

    const url = await start().ready;
    const stream = await fetch(`${url}/api/coach/sessions/${sessionId}/stream`, { headers });
    await until(stream, '"type":"run_ended"');
    const session = await fetch(`${url}/api/coach/sessions/${sessionId}`, { headers });
    const view = (await session.json()) as SessionView;
    expect(view).toMatchObject({ run: { open: false, stop: { type: "end_turn" } } });
    expect(view.messages.at(-1)?.text).toContain("Which of these days is hardest for you?");
  });

  it("prints one line, saves files, and exits with 0 while a page is connected", {
    timeout: 60_000,
  }, async () => {
    // From its sources, as `npm start` runs it.
    const server = start({}, MAIN);
    const url = await server.ready;
    const saved = await say(url, "Help me plan today: write, call Mum");
    const sessionId = saved.headers.get("x-pawl-session") ?? "";
    await saved.text();
    const files = await readdir(join(dir, "files"), { recursive: true });
    expect(files.filter((name) => name.endsWith(".md"))).toHaveLength(2);
    const listening = await fetch(`${url}/api/coach/sessions/${sessionId}/stream`, { headers });
    await until(await say(url, "Tell me everything about a whole week", sessionId), '"type":"text_delta"');

    const asked = performance.now();
    server.process.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    await listening.text().catch(() => undefined);
    expect(server.output()).toBe(`Playground ready at ${url}\nStopped.\n`);
  });

  it("prints in one line why the model refused, and never the key", { timeout: 60_000 }, async () => {
    const api = await messagesApi({ apiKeys: ["the-right-key"] });
    const key = "the-wrong-key-0123456789";
    const server = start({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: api.url });
    const url = await server.ready;
    await (await say(url, "Good morning")).text();
    await api.close();
    expect(server.output()).toMatch(/^Playground ready at \S+\nmodel_error 401: .+\n$/);
    expect(server.output()).not.toContain(key);
  });

  it("X5 says in one line that its model is unknown, before the first request", {
    timeout: 60_000,
  }, async () => {
    const server = start({ PRIMARY_MODEL: "claude-haiku" });
    expect(await server.exited).toBe(1);
    expect(server.output()).toMatch(
      /^PRIMARY_MODEL is not a known Claude model: "claude-haiku"\. .*claude-haiku-4-5.*\n$/,
    );
  });

  it("says in one line that its port is taken", { timeout: 120_000 }, async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const server = start({ PORT: String(port) });
    expect(await server.exited).toBe(1);
    expect(server.output()).toBe(`Port ${port} is taken. Set PORT to another one, e.g. PORT=${port + 1}.\n`);
    other.close();
  });

  it("says in one line that its folder is in use", { timeout: 120_000 }, async () => {
    await start().ready;
    const second = start();
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^The directory ".*" is in use\. Is another npm start running\?\n$/);
  });
});
