import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec } from "./exec.mjs";
import { projectNode, readJson, tool } from "./project.mjs";

/**
 * Runs all tests: those that mostly wait in one process, beside the two processes of the others, which use
 * the processor. One run of vitest would share its workers among all files. Resolves to the sums of both
 * runs.
 */
export async function allTests(env) {
  const runs = [
    vitest(["--project=!waiting"], env),
    vitest(["--project=waiting", "--maxWorkers=1"], env, { show: false }),
  ];
  const [busy, waiting] = await Promise.all(runs);
  console.log(waiting.printed);
  const sum = (name) => busy[name] + waiting[name];
  return {
    ok: busy.ok && waiting.ok,
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    output: sum("output"),
  };
}

/**
 * Runs vitest with its output on the terminal, or without `show` in `printed`; with the project's Node, or
 * another one. Resolves to the counts and the whole JSON report.
 */
export async function vitest(args, env, { show = true, node = projectNode() } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-vitest-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const command = [tool("vitest"), "run", ...reporters, ...args];
    const { ok, output: printed, stderr } = await exec(node, command, { env, show });
    return { ...count(ok, readReport(file), stderr), printed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  try {
    return readJson(file);
  } catch {
    return undefined;
  }
}

/**
 * Counts tests, and test files that failed before their tests. A run that fails without a failed test counts
 * as one failure, e.g. with a dead worker or no tests at all. So does a run without a failure that writes to
 * stderr: readers of a green run have no errors to tell apart.
 */
export function count(ok, report, stderr = "") {
  if (!report) return { ok: false, passed: 0, failed: 1, skipped: 0, output: "vitest wrote no report." };
  const stillborn = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some(isFailed),
  );
  const failed = report.numFailedTests + stillborn.length;
  const problem = failed > 0 ? "" : problemBesideTests(ok && report.success, report, stderr.trim());
  return {
    ok: failed === 0 && problem === "",
    passed: report.numPassedTests,
    failed: failed + (problem === "" ? 0 : 1),
    skipped: report.numPendingTests + report.numTodoTests,
    output: problem,
    report,
  };
}

function problemBesideTests(ok, report, stderr) {
  if (!ok || report.numPassedTests === 0) return "vitest failed although no test did; see above.";
  return stderr === "" ? "" : `Every test passed, but the run wrote to stderr:\n${stderr}`;
}

const isFailed = ({ status }) => status === "failed";
