import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/lib/project.mjs";

// Measures what an import costs: CPU of fresh processes, in alternation. It needs built packages.

if (!["core", "anthropic"].every((name) => existsSync(join(root, "packages", name, "dist/index.js")))) {
  console.error("The packages are not built. Run `npm run build` first.");
  process.exit(1);
}

const rounds = Number(process.argv[2] ?? 15);

const IMPORTS: readonly [label: string, names: readonly string[]][] = [
  ["the official SDK's root", ["@anthropic-ai/sdk"]],
  ["core and the Claude client", ["@pawl/core", "@pawl/anthropic"]],
  ["core", ["@pawl/core"]],
  ["nothing", []],
];

/** Returns the CPU time of the imports in a new process, in milliseconds. */
async function cpuOf(names: readonly string[]): Promise<number> {
  const code = `
    const before = process.cpuUsage();
    ${names.map((name) => `await import("${name}");`).join("\n")}
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1_000);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: join(root, "packages/anthropic"),
  });
  return Number(stdout);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const times: number[][] = IMPORTS.map(() => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [n, [, names]] of IMPORTS.entries()) times[n]?.push(await cpuOf(names));
}
const [floor = []] = times;
console.log("| import | CPU, median | ratio |");
console.log("| --- | ---: | ---: |");
for (const [n, [label]] of IMPORTS.entries()) {
  const own = times[n] ?? [];
  const ratio = median(own.map((time, round) => time / (floor[round] ?? Number.NaN)));
  console.log(`| ${label} | ${median(own).toFixed(0)} ms | ${ratio.toFixed(2)} |`);
}
