// Packs every package as for npm, checks the tarballs with publint and attw, installs them in a project
// outside of this repository, and uses them there. The project imports every entry and runs a small agent.
// TypeScript 5.9, 6 and 7 check its types, each with one module resolution. With PAWL_SOAK=1, each has both, and
// npm installs the packages, as before each release. The tarballs and what pages load of
// them must stay small, and import Node's modules with `node:`. With --cached, does nothing if the last run
// passed on the same files. With --sizes, checks only the sizes, with --lint only what publint and attw check.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fingerprint, readStamp, writeStamp } from "../../scripts/lib/fingerprint.mjs";
import { install } from "../../scripts/lib/install.mjs";
import { workspaces } from "../../scripts/lib/project.mjs";
import { checkBuiltins } from "./bare-builtins.mjs";
import { makeConsumer, pack } from "./consumer.mjs";
import { lintTarballs } from "./lint.mjs";
import { checkSizes } from "./sizes.mjs";
import { checkRuntime, checkTypes } from "./use.mjs";

const folders = workspaces(["packages"]);
const inputs = folders.flatMap((folder) => [
  `${folder}/package.json`,
  `${folder}/README.md`,
  `${folder}/CHANGELOG.md`,
  `${folder}/LICENSE`,
  `${folder}/dist`,
]);
const state = fingerprint([...inputs, "README.md", "test/packed", "test/compilers", "pnpm-lock.yaml"]);

if (process.argv.includes("--cached") && readStamp("packed") === state) {
  console.log("nothing changed since it last passed");
} else {
  try {
    const only = ["--sizes", "--lint"].find((flag) => process.argv.includes(flag));
    await usePacked(only);
    if (only === undefined) writeStamp("packed", state);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function usePacked(only) {
  const { env } = must(await install());
  const project = mkdtempSync(join(tmpdir(), "pawl-packed-"));
  try {
    const tarballs = await pack({ destination: join(project, "tarballs"), folders, env, must });
    if (only !== "--sizes") must(await lintTarballs(tarballs));
    if (only === "--lint") return;
    must(checkBuiltins(folders));
    must(await checkSizes(tarballs));
    if (only === "--sizes") return;
    const entries = await makeConsumer({ project, folders, tarballs, env, must });
    must(await checkRuntime(project, env));
    const { ways } = must(await checkTypes(project, env));
    console.log(`${folders.length} packages, ${entries.length} entries, types checked in ${ways} ways`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Returns the result of a step; throws its output if it failed. */
function must(result) {
  if (result.ok) return result;
  throw new Error(result.output);
}
