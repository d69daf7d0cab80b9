// Runs a TypeScript file against the packages' sources with the project's Node. Installs packages first.
// Usage: `npm run try try/weather.ts`
import { spawn } from "node:child_process";
import { install } from "./lib/install.mjs";
import { projectNode } from "./lib/project.mjs";

const { ok, output } = await install();
if (ok) {
  const args = ["--conditions=@pawl/source", ...process.argv.slice(2)];
  const child = spawn(projectNode(), args, { stdio: "inherit" });
  child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
} else {
  console.error(output.trim());
  process.exitCode = 1;
}
