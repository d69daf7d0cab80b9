import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { install } from "./lib/install.mjs";
import { at, workspaces } from "./lib/project.mjs";
import { writeSoakReport } from "./lib/soak-report.mjs";
import { vitest } from "./lib/unit-tests.mjs";

// Runs all tests that have large counts, one file after the other. `npm run soak random-runs` runs one. Tests
// append lines to the file named in PAWL_SOAK_REPORT; these lines go into docs/soak-report.md.
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "pawl-soak-"));
try {
  for (const file of files()) {
    const notes = join(folder, `${basename(file)}.txt`);
    const soak = { ...env, PAWL_SOAK: "1", PAWL_SOAK_REPORT: notes };
    const result = await vitest(["--testTimeout=0", "--typecheck.enabled=false", file], soak);
    if (result.report) await writeSoakReport(file, result, notes);
    if (result.output) console.error(result.output);
    if (!result.ok) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the tests with large counts whose files begin with a name on the command line, or all. */
function files() {
  const folders = [".", ...workspaces()].map((folder) => join(folder, "test"));
  const tests = folders.filter((folder) => existsSync(at(folder))).flatMap(testsIn);
  const all = tests.filter((file) => readFileSync(at(file), "utf8").includes("/support/soak.ts"));
  const named = process.argv.slice(2);
  return named.length === 0 ? all : all.filter((file) => named.some((one) => basename(file).startsWith(one)));
}

function testsIn(folder) {
  const names = readdirSync(at(folder), { recursive: true });
  return names
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .sort();
}
