import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { objectServer } from "./support/objects.ts";
import { bundled, command } from "./support/program.ts";

interface Judged {
  cases: number;
  failed: string[];
}

function checkContract({ cases, failed }: Judged): void {
  expect(failed).toEqual([]);
  expect(cases).toBeGreaterThan(100);
}

it("E9 sqliteStore over a Durable Object keeps the contract of stores, and reports every append", async () => {
  const { url } = await objectServer("sqlite-contract.js", { compatibilityFlags: ["nodejs_compat"] });
  const answer = (await (await fetch(url)).json()) as Judged & { watches: boolean };
  checkContract(answer);
  expect(answer.watches).toBe(true);
}, 60_000);

it.each([
  ["Node 22", "node-22/bin/node", []],
  ["Node 26", "node-26/bin/node", []],
  ["Deno", "deno/deno", ["run", "-A"]],
  ["Bun", "bun/bin/bun.exe", ["run"]],
] as const)(
  "E9 sqliteStore over a file keeps the contract of stores on %s",
  async (_name, program, args) => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-sqlite-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = await bundled("sqlite-file.js", "node");
    const { stdout } = await promisify(execFile)(command(program), [...args, file, join(folder, "log.db")], {
      timeout: 50_000,
    });
    checkContract(JSON.parse(stdout) as Judged);
  },
  60_000,
);
