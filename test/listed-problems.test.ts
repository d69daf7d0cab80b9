import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { at, tool } from "../scripts/lib/project.mjs";

/** Lints lines of code by the rule alone. Returns the lines that it refuses. */
async function refused(lines: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-lint-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const plugins = [at("scripts/lib/lint/listed-problems.grit")];
  const config = { root: true, plugins, linter: { rules: { recommended: false } } };
  await writeFile(join(folder, "biome.json"), JSON.stringify(config));
  await writeFile(join(folder, "a.ts"), lines.join("\n"));
  const args = ["lint", "--reporter=json", `--config-path=${folder}`, join(folder, "a.ts")];
  const biome = [tool("@biomejs/biome", "biome"), ...args] as const;
  const printed = await promisify(execFile)(process.execPath, [...biome]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const { diagnostics } = JSON.parse(printed) as { diagnostics: { location: { start: { line: number } } }[] };
  return diagnostics.map(({ location }) => lines[location.start.line - 1] ?? "");
}

test("B7 the lint refuses to join problems by hand, wherever they come from", async () => {
  const joined = [
    'const a = problems.join("; ");',
    'const b = checked.problems.join("; ");',
    'const c = error.issues.map(({ message }) => message).join("\\n");',
    "const d = toolProblems.join();",
  ];
  const fine = ['const e = names.join(", ");', "const f = listedProblems(problems);", "problems.push(a);"];
  expect(await refused([...joined, ...fine])).toEqual(joined);
});
