import { exec } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

// What the stores cost, as a table. On the command line: how many rounds, and over how many connections.
const { ok, output, env } = await install();
if (!ok) {
  console.error(output);
  process.exit(1);
}
const args = ["--conditions=@pawl/source", at("test/bench/postgres.ts"), ...process.argv.slice(2)];
const { code } = await exec(projectNode(), args, { env, show: true });
process.exitCode = code;
