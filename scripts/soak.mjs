import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "./lib/install.mjs";
import { writeSoakReport } from "./lib/soak-report.mjs";
import { vitest } from "./lib/unit-tests.mjs";

// Tests below test/soak run long only here. What they append, line by line, to the file named in PAWL_SOAK_REPORT
// (`<test title>: <finding>`) ends up in docs/soak-report.md.
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "pawl-soak-"));
const notes = join(folder, "notes.txt");
try {
  const soak = { ...env, PAWL_SOAK: "1", PAWL_SOAK_REPORT: notes };
  const result = await vitest(["--testTimeout=0", "--typecheck.enabled=false", ...files()], soak);
  if (result.report) await writeSoakReport(result, notes);
  if (result.output) console.error(result.output);
  process.exitCode = result.ok ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Filters from the command line, for one soak at a time, or all. */
function files() {
  const named = process.argv.slice(2).map((name) => `test/soak/${name}`);
  return named.length > 0 ? named : ["test/soak/"];
}
