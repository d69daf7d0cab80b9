import { readdirSync } from "node:fs";
import { exec } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

// Runs the benchmarks in test/bench and prints tables. `npm run bench postgres` runs one of them; further
// arguments are passed to it, e.g. the number of rounds.
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const numbers = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
for (const name of files()) {
  console.log(`\n${name}\n`);
  const args = ["--conditions=@pawl/source", at("test", "bench", name), ...numbers];
  const { code } = await exec(projectNode(), args, { env, show: true });
  if (code !== 0) process.exitCode = 1;
}

/** Returns the benchmarks named on the command line, or all. */
function files() {
  const all = readdirSync(at("test", "bench")).filter((name) => name.endsWith(".ts"));
  const named = process.argv.slice(2).filter((word) => !/^\d+$/.test(word));
  return named.length === 0 ? all : all.filter((name) => named.some((one) => name.startsWith(one)));
}
