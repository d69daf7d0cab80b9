import { spawn } from "node:child_process";
import { projectNode, root, tool } from "./project.mjs";

/**
 * Runs a command to its end. Never rejects: if the command cannot be started, its code is 127. With `show`,
 * the output goes to the terminal and `output` is empty.
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

/** Runs a tool of the project with the project's Node. `name` is e.g. `vitest`, or `[package, command]`. */
export function execTool(name, args, options) {
  return exec(projectNode(), [tool(...[name].flat()), ...args], options);
}

/** Runs turbo tasks, e.g. a build. turbo caches results. Prints only failures. */
export function turbo(tasks, env, ...args) {
  return execTool("turbo", ["run", ...tasks, "--output-logs=errors-only", ...args], { env });
}
