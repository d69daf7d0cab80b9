import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { install } from "./lib/install.mjs";
import { codeOfSoak, writeSoakReport } from "./lib/soak-report.mjs";
import { soaksNamed } from "./lib/soaks.mjs";
import { vitest } from "./lib/unit-tests.mjs";

// Runs all tests that have large counts, one file after the other. `npm run soak random-runs` runs one. Tests
// append lines to the file named in PAWL_SOAK_REPORT; these lines go into docs/soak-report.md, together with
// the commit that ran. A test that fails, or ends without results, is reported as such.
const files = soaksNamed(process.argv.slice(2));
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "pawl-soak-"));
try {
  for (const file of files) {
    const notesFile = join(folder, `${basename(file)}.txt`);
    const code = codeOfSoak();
    const soak = { ...env, PAWL_SOAK: "1", PAWL_SOAK_REPORT: notesFile };
    const result = await vitest(["--testTimeout=0", "--typecheck.enabled=false", file], soak);
    await writeSoakReport(file, result, { code, notesFile });
    if (result.output) console.error(result.output);
    if (!result.ok) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
