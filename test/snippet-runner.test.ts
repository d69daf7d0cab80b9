import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snippetRunner } from "./support/run-snippets.ts";
import { containsInOrder, printedBy, snippetsOf } from "./support/snippets.ts";

describe("a snippet is run to its end", () => {
  let folder: string;
  const runner = snippetRunner({ timeoutMs: 5_000 });
  const run = async (code: string) => {
    const file = join(folder, `${crypto.randomUUID()}.mjs`);
    await writeFile(file, code);
    return await runner.run({ file, env: {} });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snippets-"));
  });
  afterAll(async () => {
    await runner.end();
    await rm(folder, { recursive: true });
  });

  it("reports what is printed after the module has been evaluated", async () => {
    expect(await run(`setTimeout(() => { console.log("late"); console.error("error"); }, 100);`)).toEqual({
      stdout: "late\n",
      stderr: "error\n",
    });
  });

  it("reports a rejection that comes late", async () => {
    const { stderr } = await run(`setTimeout(() => void Promise.reject(new Error("lost")), 50);`);
    expect(stderr).toContain("Error: lost");
  });

  it("reports a top-level await that never settles", async () => {
    expect((await run("await new Promise(() => {});")).stderr).toContain("never settled");
  });

  it("refuses a program that does not end, and runs the next one", async () => {
    await expect(run("setInterval(() => {}, 1000);")).rejects.toThrow("did not end");
    expect(await run(`console.log("next");`)).toEqual({ stdout: "next\n", stderr: "" });
  });
});

describe("the blocks of a page", () => {
  const page = (...fences: string[]) => fences.map((fence) => `${fence}\n\`\`\``).join("\n\n");

  it("are run, continued, type-checked or left out, as their fences say", () => {
    const text = page(
      "```ts\nconst a = 1;",
      "```ts continues\nconsole.log(a);",
      "```ts compile\nlet b;",
      "```ts fragment\n…",
      "```sh\nls",
    );
    expect(snippetsOf("page.md", text).map(({ code, runs }) => [code, runs])).toEqual([
      ["const a = 1;", true],
      ["const a = 1;\n\nconsole.log(a);", true],
      ["let b;", false],
    ]);
  });

  it("are refused if nothing would check them", () => {
    expect(() => snippetsOf("page.md", page("```js\nlet a;"))).toThrow("write it in ts");
    expect(() => snippetsOf("page.md", page("```tsx\nlet a;"))).toThrow("tsx compile");
    expect(() => snippetsOf("page.md", page("```ts norun\nlet a;"))).toThrow(
      "continues, compile or fragment",
    );
    expect(() => snippetsOf("page.md", page("```ts continues\nlet a;"))).toThrow("nothing to continue");
  });

  it("print what their comments say", () => {
    const pieces = printedBy("console.log(a); // { a: …, b: 2 }\nconsole.log(c); // 3");
    expect(pieces).toEqual(["{ a:", ", b: 2 }", "3"]);
    expect(containsInOrder("{\n  a: 1,\n  b: 2 }\n3", pieces.with(1, "b: 2 }"))).toBe(true);
    expect(containsInOrder("3\n{ a: 1, b: 2 }", pieces)).toBe(false);
  });
});
