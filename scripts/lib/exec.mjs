import { spawn } from "node:child_process";
import { projectNode, root, tool } from "./project.mjs";

/**
 * Runs a command to its end. Never rejects: a command that cannot be started has the code 127.
 * With `show`, its output goes straight to the terminal and `output` stays empty.
 */
export function exec(command, args, { cwd = root, env = process.env, show = false, shell = false } = {}) {
  return new Promise((resolve) => {
    const chunks = [];
    const stream = show ? "inherit" : "pipe";
    const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", stream, stream] });
    for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (chunk) => chunks.push(chunk));
    const finish = (code, more) =>
      resolve({ code, ok: code === 0, output: Buffer.concat(chunks).toString() + more });
    child.on("error", (error) => finish(127, `${command}: ${error.message}\n`));
    child.on("close", (code, signal) =>
      finish(code ?? 1, signal ? `${command} was ended by ${signal}.\n` : ""),
    );
  });
}

/** Runs a tool of the project (`vitest`, or `[package, command]`) on the project's Node. */
export function execTool(name, args, options) {
  return exec(projectNode(), [tool(...[name].flat()), ...args], options);
}

/** Builds (or checks) through turbo, which caches results. Prints failures only. */
export function turbo(tasks, env, ...args) {
  return execTool("turbo", ["run", ...tasks, "--output-logs=errors-only", ...args], { env });
}
