import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

/** The folder of these tests, which has its own packages. */
export const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const fromFolder = createRequire(join(folder, "package.json"));

/** A package that only `npm test` installs. */
export function installed<T>(name: string): T {
  if (!existsSync(join(folder, "node_modules", name)))
    throw new Error(`"${name}" is not installed: run \`npm test\` once, it installs the runtimes.`);
  return fromFolder(name) as T;
}

/** The path of a program among those packages. */
export function command(path: string): string {
  const full = join(folder, "node_modules", path);
  if (existsSync(full)) return full;
  throw new Error(`"${path}" is not installed: run \`npm test\` once, it installs the runtimes.`);
}

interface Esbuild {
  build(options: object): Promise<unknown>;
}

/** For packages in CommonJS, such as pg, which load Node's modules with `require`. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire("file:///worker.js");';

/**
 * Bundles a program over the built packages, as a user's bundler does. `node-worker` is a Worker that may use
 * Node's modules.
 */
export async function bundled(entry: string, target: "node" | "browser" | "node-worker"): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), "pawl-runtimes-"));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const outfile = join(out, entry.replace(".js", ".mjs"));
  await installed<Esbuild>("esbuild").build({
    entryPoints: [join(folder, "program", entry)],
    bundle: true,
    logLevel: "error",
    format: "esm",
    platform: target === "browser" ? "browser" : "node",
    conditions: target === "node" ? [] : ["workerd", "worker"],
    ...(target === "node-worker" && { banner: { js: REQUIRE } }),
    external: ["cloudflare:*", "node:*"],
    outfile,
  });
  return outfile;
}

/** Starts a server that prints its port, and stops it after the test. Resolves to its URL. */
export async function started(file: string, args: readonly string[]): Promise<string> {
  const server: ChildProcess = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  let printed = "";
  return await new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${printed}`));
    const late = setTimeout(() => fail("It did not listen within 15 s"), 15_000);
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on("data", (chunk) => {
        printed += chunk;
        const port = /port (\d+)/.exec(printed)?.[1];
        if (port === undefined) return;
        clearTimeout(late);
        resolve(`http://127.0.0.1:${port}`);
      });
    }
    server.on("exit", (code) => fail(`It ended with ${code}`));
    server.on("error", (error) => fail(error.message));
  });
}

/** The longest that one read may take: what fails here hangs. */
const CAP_MS = 8_000;

/** Reads a stream until the text occurs in it, and then leaves: the connection is closed. */
export async function readUntil(url: string, text: string, init: RequestInit = {}) {
  const leave = new AbortController();
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(CAP_MS)]);
  const response = await fetch(url, { ...init, signal });
  expect(response.status).toBe(200);
  let read = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += chunk;
    if (read.includes(text)) break;
  }
  leave.abort();
  expect(read).toContain(text);
  return { read, sessionId: response.headers.get("x-pawl-session") ?? "" };
}

/** Headers of the user's requests. */
export type Headers = Record<string, string>;

/** Begins a run, and leaves in the middle of its answer. Resolves to the session. */
export async function beginAndLeave(url: string, user: Headers = {}, until = "w5"): Promise<string> {
  const headers = { "content-type": "application/json", ...user };
  const body = JSON.stringify({ input: "Walk" });
  const { sessionId } = await readUntil(`${url}/runs`, until, { method: "POST", headers, body });
  return sessionId;
}

interface Stored {
  type: string;
  data: { text?: string; stop?: { type: string }; success?: boolean; result?: unknown };
}

/** The session's events, without reading its stream. */
export async function eventsOf(url: string, sessionId: string, headers: Headers = {}): Promise<Stored[]> {
  const response = await fetch(`${url}/sessions/${sessionId}/events`, {
    headers,
    signal: AbortSignal.timeout(CAP_MS),
  });
  return ((await response.json()) as { events: Stored[] }).events;
}

/** Checks that the run has ended well, and that its tool ran once. */
export async function checkRun(url: string, sessionId: string, user: Headers = {}): Promise<void> {
  const events = await eventsOf(url, sessionId, user);
  expect(events.filter(({ type }) => type === "tool_started")).toHaveLength(1);
  const [result] = events.filter(({ type }) => type === "tool_result");
  expect(result?.data).toMatchObject({ success: true, result: "found" });
  expect(events.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
  expect(JSON.stringify(events)).toContain("w40");
}

/** The program of every runtime: the first reader leaves, the second one reads to the end. */
export async function checkProgram(url: string): Promise<void> {
  const sessionId = await beginAndLeave(url);
  const { read } = await readUntil(`${url}/sessions/${sessionId}/stream`, "run_ended");
  expect(read).toContain("text_delta");
  await checkRun(url, sessionId);
  expect((await eventsOf(url, sessionId)).filter(({ type }) => type === "run_recovered")).toEqual([]);
}
