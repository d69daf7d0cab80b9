import { readdirSync } from "node:fs";
import { exec } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

// Runs the benchmarks in test/bench and prints tables. `npm run bench postgres` runs one of them; further
// arguments are passed to it, e.g. the number of rounds.
const numbers = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
const chosen = files();
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
for (const name of chosen) {
  console.log(`\n${name}\n`);
  const args = ["--conditions=@pawl/source", at("test", "bench", name), ...numbers];
  const { code } = await exec(projectNode(), args, { env, show: true });
  if (code !== 0) process.exitCode = 1;
}

/** Returns the benchmarks named on the command line, or all. Exits with 1 if a name begins none of them. */
function files() {
  const all = readdirSync(at("test", "bench")).filter((name) => name.endsWith(".ts"));
  const named = process.argv.slice(2).filter((word) => !/^\d+$/.test(word));
  const unknown = named.filter((one) => !all.some((name) => name.startsWith(one)));
  if (unknown.length > 0) {
    const names = all.map((name) => name.slice(0, -".ts".length)).join(", ");
    console.error(
      `There is no benchmark ${unknown.map((one) => `"${one}"`).join(", ")}. There are ${names}.`,
    );
    process.exit(1);
  }
  return named.length === 0 ? all : all.filter((name) => named.some((one) => name.startsWith(one)));
}
