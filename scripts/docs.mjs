// Builds the reference site in docs/api. Fails on warnings, e.g. on a link that leads nowhere. With --cached,
// does nothing if the last run passed on the same files.
import { exec } from "./lib/exec.mjs";
import { filesOf } from "./lib/files.mjs";
import { fingerprint, readStamp, writeStamp } from "./lib/fingerprint.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

const inputs = /^(?:packages\/[^/]+\/(?:src\/.*|[^/]+)|[^/]+|docs\/.*|scripts\/(?:docs|lib\/.*)\.mjs)$/;
const state = fingerprint(filesOf().filter((path) => inputs.test(path)));

if (process.argv.includes("--cached") && readStamp("docs") === state) {
  console.log("nothing changed since it last passed");
} else {
  const { ok, output, env } = await install();
  const built = ok ? await exec(projectNode(), [at("scripts/lib/site/build.mjs")], { env }) : { ok, output };
  console.log(built.output.trim());
  if (built.ok) writeStamp("docs", state);
  process.exitCode = built.ok ? 0 : 1;
}
