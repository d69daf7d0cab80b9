// Runs a TypeScript file against the packages' sources with the project's Node. Installs packages first.
// Usage: `npm run try try/weather.ts`
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { install } from "./lib/install.mjs";
import { projectNode } from "./lib/project.mjs";

const [file, ...rest] = process.argv.slice(2);
const problem = problemWith(file);
if (problem === undefined) await run();
else {
  console.error(problem);
  process.exitCode = 1;
}

function problemWith(path) {
  if (path === undefined) return "Name the file to run, e.g. npm run try my-agent.ts";
  if (path.startsWith("-")) return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return undefined;
  return found === undefined ? `There is no file ${path}.` : `${path} is not a file.`;
}

async function run() {
  const { ok, output } = await install();
  if (!ok) {
    console.error(output.trim());
    process.exitCode = 1;
    return;
  }
  const args = ["--conditions=@pawl/source", file, ...rest];
  const child = spawn(projectNode(), args, { stdio: "inherit" });
  child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
}
