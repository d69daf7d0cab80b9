// Packs the package in the working directory as it would be published, and checks the tarball with publint
// and attw.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec, execTool } from "./lib/exec.mjs";

const cwd = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "pawl-lint-"));
const tarball = join(folder, "package.tgz");
const steps = [
  () => exec("pnpm", ["pack", "--out", tarball], { cwd, shell: process.platform === "win32" }),
  () => execTool("publint", ["run", tarball, "--strict"]),
  () => execTool(["@arethetypeswrong/cli", "attw"], [tarball, "--profile", "esm-only"]),
];
try {
  for (const step of steps) {
    const { code, output } = await step();
    console.log(output.trimEnd());
    process.exitCode = code;
    if (code !== 0) break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
