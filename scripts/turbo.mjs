// Runs turbo with pnpm in PATH. Installs packages first. Usage: `node scripts/turbo.mjs build`
import { turbo } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";

const { ok, output, env } = await install();
const done = ok ? await turbo(process.argv.slice(2), env) : { ok, output };
console.log(done.output.trim());
process.exitCode = done.ok ? 0 : 1;
