import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { glob, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "./support/postgres.ts";
import type { Program, Said } from "./support/snippet-runner.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "test", ".snippets");
const run = promisify(execFile);

interface Snippet {
  title: string;
  file: string;
  code: string;
}

/** Returns the ```ts blocks of a text; those of doc comments without asterisks. */
function blocks(text: string, doc: boolean): string[] {
  const fences = doc ? / \* ```ts\n([\s\S]*?)\n \* ```/g : /^```ts\n([\s\S]*?)\n```/gm;
  return [...text.matchAll(fences)].map((match) => (match[1] ?? "").replace(doc ? /^ \* ?/gm : /^$/, ""));
}

const snippets: Snippet[] = [];
const places = ["README.md", "{packages,examples}/*/src/**/*.{ts,tsx}"];
for await (const path of glob(places, { cwd: root })) {
  const doc = !path.endsWith(".md");
  for (const [n, code] of blocks(readFileSync(join(root, path), "utf8"), doc).entries()) {
    const name = `${path.replaceAll(/[^a-z0-9]+/gi, "-")}-${n}.ts`;
    snippets.push({ title: `${path}, example ${n + 1}`, file: join(folder, name), code });
  }
}

describe("every example in the docs is run", { timeout: 60_000 }, async () => {
  const api = await messagesApi({
    rules: (request) => {
      const last = JSON.stringify(request.messages.at(-1));
      const [tool] = request.tools ?? [];
      if (tool === undefined || last.includes("tool_result")) return { text: "It is 12 °C in Oslo." };
      return { tools: [{ name: String(tool.name), input: { city: "Oslo" } }] };
    },
  });
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: api.url };
  let runner: ChildProcess;

  beforeAll(async () => {
    // Runs snippets with the built packages, as users have them.
    runner = fork(join(root, "test", "support", "snippet-runner.ts"), { execArgv: [] });
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await Promise.all(snippets.map(({ file, code }) => writeFile(file, `${code}\nexport {};\n`)));
    const base = { extends: "../../tsconfig.json", include: ["./*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(base));
  });
  afterAll(async () => await api.close());

  it("finds them", () => {
    expect(snippets.length).toBeGreaterThan(8);
  });

  it("type-checks them", async () => {
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const { stdout } = await run(tsc, ["-p", folder, "--noUnusedLocals", "false"]).catch((error) => error);
    expect(stdout).toBe("");
  });

  const saidBy = async (program: Program): Promise<Said> => {
    runner.send(program);
    const [said] = await once(runner, "message", { signal: AbortSignal.timeout(55_000) });
    return said as Said;
  };

  const check = ({ code }: Snippet, { stdout, stderr }: Said): void => {
    expect(stderr).toBe("");
    if (code.includes("console.log")) expect(stdout).not.toBe("");
    expect(api.rejected).toEqual([]);
  };

  // Uses "%s": vitest would shorten a "$title", and tests could not be selected by their file.
  it.each(snippets.map((one) => [one.title, one] as const))("%s", async (_title, snippet) => {
    const { file, code } = snippet;
    if (!code.includes("DATABASE_URL")) return check(snippet, await saidBy({ file, env }));
    const database = await testDatabase();
    try {
      check(snippet, await saidBy({ file, env: { ...env, DATABASE_URL: database.url } }));
    } finally {
      await database.drop();
    }
  });

  it("none of them keeps a process alive, or prints an error at its end", async () => {
    const ended = once(runner, "exit", { signal: AbortSignal.timeout(55_000) });
    runner.disconnect();
    expect(await ended).toEqual([0, null]);
  });

  // Each in a process of its own, whose output is read until it has ended.
  const inReadme = snippets.filter(({ title }) => title.startsWith("README.md"));
  it.each(inReadme.map((one) => [one.title, one] as const))(
    "U3 %s, alone and without a key",
    async (_title, snippet) => {
      const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...keyless } = process.env;
      const options = { env: { ...keyless, NODE_NO_WARNINGS: "1" }, timeout: 55_000 };
      check(snippet, await run(process.execPath, [snippet.file], options));
    },
  );
});
