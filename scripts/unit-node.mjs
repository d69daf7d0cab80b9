// Runs the tests of seven packages on another Node than the project's own, which is Node 24:
// `npm run unit:node -- 26`, or `npm run unit:node -- 22 packages/core/test/tools` for some of them. The last
// line has the counts. `npm test` does not run this, because it takes minutes for each Node.
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { exec } from "./lib/exec.mjs";
import { install, installRuntimes } from "./lib/install.mjs";
import { at } from "./lib/project.mjs";
import { vitest } from "./lib/unit-tests.mjs";

const PACKAGES = ["core", "sse", "client", "anthropic", "openai", "remote", "sqlite"];

const [version, ...files] = process.argv.slice(2);
const failure = await run();
if (failure !== undefined) {
  console.error(failure.trim());
  process.exitCode = 1;
}

/** Resolves to the reason why the tests failed, if they did. */
async function run() {
  const { ok, output, env } = await install();
  if (!ok) return output;
  const runtimes = await installRuntimes(env);
  if (!runtimes.ok) return runtimes.output;
  const node = nodeOf(version);
  if (node === undefined) return "Name a Node of test/runtimes/package.json, e.g. npm run unit:node -- 26";
  const { output: name } = await exec(node, ["--version"]);
  // Programs that tests start by the name `node` get it too.
  const path = { ...env, PATH: [dirname(node), env.PATH].join(delimiter) };
  const filters = files.length > 0 ? files : PACKAGES.map((folder) => `packages/${folder}/`);
  const { passed, failed, skipped, output: why } = await vitest(filters, path, { node });
  console.log(`\nNode ${name.trim()}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? why || "Some tests failed." : undefined;
}

/** Returns the path of a Node that the runtimes' tests use, by its major version. */
function nodeOf(major) {
  const bin = at("test", "runtimes", "node_modules", `node-${major}`, "bin");
  return [join(bin, "node"), join(bin, "node.exe")].find(existsSync);
}
