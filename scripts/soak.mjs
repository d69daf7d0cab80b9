import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "./lib/install.mjs";
import { at } from "./lib/project.mjs";
import { writeSoakReport } from "./lib/soak-report.mjs";
import { vitest } from "./lib/unit-tests.mjs";

// Runs the tests in test/soak with large counts, one file after the other. `npm run soak random-runs` runs
// one. Tests append lines to the file named in PAWL_SOAK_REPORT; these lines go into docs/soak-report.md.
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "pawl-soak-"));
try {
  for (const name of files()) {
    const notes = join(folder, `${name}.txt`);
    const soak = { ...env, PAWL_SOAK: "1", PAWL_SOAK_REPORT: notes };
    const result = await vitest(["--testTimeout=0", "--typecheck.enabled=false", `test/soak/${name}`], soak);
    if (result.report) await writeSoakReport(`test/soak/${name}`, result, notes);
    if (result.output) console.error(result.output);
    if (!result.ok) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the soak tests named on the command line, or all. */
function files() {
  const all = readdirSync(at("test", "soak")).filter((name) => name.endsWith(".test.ts"));
  const named = process.argv.slice(2);
  return named.length === 0 ? all : all.filter((name) => named.some((one) => name.startsWith(one)));
}
