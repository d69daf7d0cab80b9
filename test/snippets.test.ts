import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, NO_RESTATE, RESTATE, restateServer } from "./restate/restate-server.ts";
import { testDatabase } from "./support/postgres.ts";
import { snippetRunner } from "./support/run-snippets.ts";
import { writeSnippets } from "./support/snippet-folder.ts";
import type { Said } from "./support/snippet-runner.ts";
import { allSnippets, containsInOrder, printedBy, type Snippet } from "./support/snippets.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "test", ".snippets");
const run = promisify(execFile);
const snippets = await allSnippets(root);
const programs = snippets.filter(({ runs }) => runs);
const fileOf = ({ name }: Snippet): string => join(folder, name);

describe("every example in the docs is run to its end", { timeout: 60_000 }, async () => {
  const api = await messagesApi({
    rules: (request) => {
      const last = JSON.stringify(request.messages.at(-1));
      const [tool] = request.tools ?? [];
      if (tool === undefined || last.includes("tool_result")) return { text: "It is 12 °C in Oslo." };
      return { tools: [{ name: String(tool.name), input: { city: "Oslo" } }] };
    },
  });
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: api.url };
  const runner = snippetRunner();

  beforeAll(() => writeSnippets(root, folder, snippets));
  afterAll(async () => await api.close());

  it("finds them", () => {
    expect(programs.length).toBeGreaterThan(8);
  });

  it("type-checks them", async () => {
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const options = ["--noUnusedLocals", "false", "--checkers", "1"];
    const { stdout } = await run(tsc, ["-p", folder, ...options]).catch((error) => error);
    expect(stdout).toBe("");
  });

  const check = ({ path, code }: Snippet, { stdout, stderr }: Said): void => {
    expect(stderr).toBe("");
    if (code.includes("console.log")) expect(stdout).not.toBe("");
    if (path.endsWith(".md") && !containsInOrder(stdout, printedBy(code)))
      expect(stdout).toBe(printedBy(code).join("\n"));
    expect(api.rejected).toEqual([]);
  };

  // Uses "%s": vitest would shorten a "$title", and tests could not be selected by their file.
  it.each(programs.map((one) => [one.title, one] as const))("%s", async (title, snippet) => {
    const file = fileOf(snippet);
    const needsRestate = snippet.code.includes("RESTATE_INGRESS");
    if (needsRestate && RESTATE === undefined) return console.log(`${title} is not run: ${NO_RESTATE}.`);
    if (!snippet.code.includes("DATABASE_URL")) return check(snippet, await runner.run({ file, env }));
    const database = await testDatabase();
    const restate = needsRestate ? await restateServer() : undefined;
    const { ingress: RESTATE_INGRESS = "", admin: RESTATE_ADMIN = "" } = restate ?? {};
    const own = restate && { RESTATE_INGRESS, RESTATE_ADMIN, PORT: String(await freePort()) };
    try {
      check(snippet, await runner.run({ file, env: { ...env, DATABASE_URL: database.url, ...own } }));
    } finally {
      await restate?.remove();
      await database.drop();
    }
  });

  it("none of them keeps a process alive", async () => {
    expect(await runner.end()).toBe(0);
  });

  const keyless = programs.filter(
    ({ path, code }) => path.endsWith(".md") && code.includes("process.env.ANTHROPIC_API_KEY"),
  );
  const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...withoutKey } = process.env;
  // A process of its own: a program that ran with the key is not evaluated again.
  const keylessRunner = snippetRunner({ env: withoutKey });

  it.each(keyless.map((one) => [one.title, one] as const))("%s, without a key", async (_title, snippet) => {
    check(snippet, await keylessRunner.run({ file: fileOf(snippet), env: {} }));
  });

  it("none of them keeps a process alive without a key", async () => {
    expect(await keylessRunner.end()).toBe(0);
  });
});
