import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryStore } from "@pawl/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { until } from "../../../test/support/until.ts";
import { type McpServer, type McpServerOptions, mcpServer } from "../src/index.ts";
import { isAlive, node, reference } from "./support/servers.ts";
import { calls, resultOf, world } from "./support/world.ts";

const program = fileURLToPath(new URL("support/stdio-server.mjs", import.meta.url));
const open: McpServer[] = [];
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-mcp-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(options: Partial<McpServerOptions> & { args: readonly string[] }): McpServer {
  const server = mcpServer({ name: "test", command: node, ...options });
  open.push(server);
  return server;
}

const own = (options: Partial<McpServerOptions> = {}) =>
  start({ args: [program], protocol: "modern", ...options });

/** One call of a tool by a run of its own. */
async function call(server: McpServer, tool: string, input: object = {}) {
  const one = world([server], calls(tool, input));
  const { sessionId } = await one.say("Go");
  const { success, result, report } = await resultOf(one, sessionId);
  const [first] = (result as { content?: { text?: string }[] }).content ?? [];
  return { success, text: first?.text ?? String(result), code: report?.code };
}

describe("a server over stdio", () => {
  it("T14 runs once for all users, and ends with `close()`", async () => {
    const server = own();
    const { text: pid } = await call(server, "pid");
    expect((await call(server, "pid")).text).toBe(pid);
    expect(isAlive(Number(pid))).toBe(true);
    await server.close();
    expect(isAlive(Number(pid))).toBe(false);
  });

  it.each(["auto", "legacy"] as const)(
    "B8 T14 that never answered and ignores SIGTERM is gone once `close()` has resolved: %s",
    async (protocol) => {
      const file = join(folder, `stubborn-${protocol}.cjs`);
      const pids = join(folder, `pids-${protocol}`);
      writeFileSync(
        file,
        `require("node:fs").appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
        process.on("SIGTERM", () => {});
        process.stdin.resume();
        setInterval(() => {}, 1_000);`,
      );
      const server = start({ args: [file], protocol, connectTimeoutMs: 3_000 });
      await expect(server.listTools({ userId: "ada" })).rejects.toMatchObject({ code: "mcp_unreachable" });
      await server.close();
      const started = readFileSync(pids, { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
      expect(started.map(Number).filter(isAlive)).toEqual([]);
    },
  );

  it("F24 that dies fails the call at once with an unknown outcome, and is started again for the next", async () => {
    const server = own();
    const { text: pid } = await call(server, "pid");
    const begin = performance.now();
    expect(await call(server, "die")).toMatchObject({ success: false, code: "mcp_outcome_unknown" });
    expect(performance.now() - begin).toBeLessThan(3_000);
    const { success, text: next } = await call(server, "pid");
    expect(success).toBe(true);
    expect(next).not.toBe(pid);
  });

  it("F24 that is killed between two calls is started again", async () => {
    const server = own();
    const { text: pid } = await call(server, "pid");
    process.kill(Number(pid), "SIGKILL");
    await until(() => !isAlive(Number(pid)));
    await pause(1_000, "its streams close some time after it died, and nothing tells when");
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it("T14 that hangs is cut off at its time limit, and other calls go on", async () => {
    const server = own({ timeoutMs: 300 });
    expect(await call(server, "hang")).toMatchObject({
      success: false,
      text: expect.stringMatching(/took too long/),
    });
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it("T14 that cannot be started is left out, with a clear error", async () => {
    const one = world([start({ command: "/no/such/program", args: [] })], [{ text: "Ok." }]);
    await one.say("Go");
    expect(one.errors).toEqual([expect.stringMatching(/"test" cannot be reached: .*ENOENT/)]);
  });

  it("T14 gets only the environment that it was given, and may write as many errors as it likes", async () => {
    process.env.PAWL_TEST_SECRET = "not for servers";
    const server = own({ env: { GIVEN: "yes" } });
    const { text: env } = await call(server, "env");
    delete process.env.PAWL_TEST_SECRET;
    expect(JSON.parse(env)).toMatchObject({ GIVEN: "yes" });
    expect(env).not.toContain("PAWL_TEST_SECRET");
    expect(await call(server, "noise")).toMatchObject({ success: true });
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it.each([
    ["lines that are not JSON", "listening on stdio"],
    ["empty lines", ""],
    ["JSON that is no message", '{"level":"info"}'],
  ])("B7 T14 may print ten thousand lines for a call, and no more: %s", async (_, line) => {
    const server = own();
    const { text: pid } = await call(server, "pid");
    expect(await call(server, "print", { line, lines: 9_000 })).toMatchObject({ text: "printed" });
    expect(await call(server, "print", { line, lines: Number.MAX_SAFE_INTEGER })).toMatchObject({
      success: false,
      code: "mcp_outcome_unknown",
    });
    await until(() => !isAlive(Number(pid)));
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it("B7 T14 that prints without end while nobody asks is ended, and started again for the next call", async () => {
    const server = own();
    const { text: pid } = await call(server, "pid");
    expect(await call(server, "babble")).toMatchObject({ text: "begins" });
    await until(() => !isAlive(Number(pid)));
    expect(await call(server, "pid")).toMatchObject({ success: true });
  });

  it("T14 is asked for its protocol once, also if it is started again", async () => {
    const STARTS = join(folder, "starts");
    const server = own({ protocol: "auto", env: { STARTS } });
    await call(server, "pid");
    const before = readFileSync(STARTS, "utf8").trim().split("\n").length;
    await call(server, "die");
    await call(server, "pid");
    expect(readFileSync(STARTS, "utf8").trim().split("\n")).toHaveLength(before + 1);
  });

  it("F24 P1 asks the user, and the answer reaches a new process of it", async () => {
    const store = memoryStore();
    const first = own();
    const asked = await world([first], calls("ask"), { store }).say("Go");
    expect(asked.pending).toMatchObject([{ kind: "elicitation" }]);
    await first.close();
    const one = world([own()], calls("ask").slice(1), { store });
    await one.answer(asked.sessionId, { action: "accept", content: { ok: true } });
    expect((await resultOf(one, asked.sessionId)).result).toMatchObject({
      content: [{ text: expect.stringMatching(/^answered to \d+$/) }],
    });
  });

  it("T14 that ends at once is left out, with a hint and no unknown outcome", async () => {
    const one = world([start({ args: ["-e", "process.exit(1)"] })], [{ text: "Ok." }]);
    await one.say("Go");
    expect(one.errors).toEqual([
      expect.stringMatching(/"test" cannot be reached: .*Run its `command` with its `args` in a terminal/),
    ]);
  });

  it("T14 is closed by a script that awaits it and does nothing else", async () => {
    const script = join(folder, "closing.mjs");
    const source = (file: string) => fileURLToPath(new URL(file, import.meta.url));
    writeFileSync(
      script,
      `
      const { mcpServer } = await import(${JSON.stringify(source("../src/index.ts"))});
      const { callOnce } = await import(${JSON.stringify(source("support/call-once.ts"))});
      const server = mcpServer({ name: "test", command: process.execPath, args: [${JSON.stringify(program)}] });
      await callOnce(server, "mcp__test__pid");
      await server.close();
      console.log("closed");
      `,
    );
    const args = ["--conditions=@pawl/source", script];
    const { stdout, stderr } = await promisify(execFile)(node, args, { timeout: 100_000 });
    expect({ stdout, stderr }).toEqual({ stdout: "closed\n", stderr: "" });
  });

  it("T14 does not keep a script running, and ends with it", async () => {
    const script = join(folder, "script.mjs");
    const source = (file: string) => fileURLToPath(new URL(file, import.meta.url));
    writeFileSync(
      script,
      `
      const { mcpServer } = await import(${JSON.stringify(source("../src/index.ts"))});
      const { callOnce } = await import(${JSON.stringify(source("support/call-once.ts"))});
      const server = mcpServer({ name: "test", command: process.execPath, args: [${JSON.stringify(program)}] });
      console.log(await callOnce(server, "mcp__test__pid"));
      `,
    );
    const args = ["--conditions=@pawl/source", script];
    const { stdout, stderr } = await promisify(execFile)(node, args, { timeout: 100_000 });
    expect(stderr).toBe("");
    await until(() => !isAlive(Number(stdout)));
  });
});

describe("the reference servers, which speak older protocols", () => {
  it("T14 everything: text, images, structured content, links and progress", async () => {
    const server = start({ args: [reference("everything"), "stdio"] });
    expect(await call(server, "echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    expect(await call(server, "get-sum", { a: 2, b: 3 })).toMatchObject({
      text: expect.stringMatching(/\b5\b/),
    });
    for (const tool of ["get-tiny-image", "get-resource-links"])
      expect(await call(server, tool)).toMatchObject({ success: true });
    const weather = await call(server, "get-structured-content", { location: "New York" });
    expect(weather.text).toMatch(/temperature/);
    const one = world([server], calls("trigger-long-running-operation", { duration: 0.5, steps: 5 }));
    const { sessionId } = await one.say("Go");
    expect(await resultOf(one, sessionId)).toMatchObject({ success: true });
    expect((await server.listPrompts({ userId: "u" })).map(({ name }) => name)).toContain("simple-prompt");
    expect(
      await server.readResource("demo://resource/static/document/architecture.md", { userId: "u" }),
    ).toMatch(/#/);
  });

  it("F24 everything: a question that would die with the connection is cancelled at once", async () => {
    const server = start({ args: [reference("everything"), "stdio"] });
    const { success, text } = await call(server, "trigger-elicitation-request");
    expect(success).toBe(true);
    expect(text).toMatch(/cancel/i);
  });

  it("T14 filesystem: reads and writes in its folder, and fails elsewhere", async () => {
    const server = start({ args: [reference("filesystem"), folder] });
    const path = join(folder, "note.txt");
    expect(await call(server, "write_file", { path, content: "Buy milk." })).toMatchObject({ success: true });
    expect(await call(server, "read_text_file", { path })).toMatchObject({ text: "Buy milk." });
    const outside = await call(server, "read_text_file", { path: "/etc/passwd" });
    expect(outside).toMatchObject({
      success: false,
      code: "mcp_tool_error",
      text: expect.stringMatching(/denied/i),
    });
  });

  it("T14 memory: keeps what it was told", async () => {
    const server = start({
      args: [reference("memory")],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    });
    const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
    expect(await call(server, "create_entities", { entities })).toMatchObject({ success: true });
    expect((await call(server, "search_nodes", { query: "tea" })).text).toMatch(/Ada/);
  });
});
