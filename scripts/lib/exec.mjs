import { spawn } from "node:child_process";
import { projectNode, root, tool } from "./project.mjs";

/**
 * Runs a command to its end. Never rejects: if the command cannot be started, its code is 127. `output` has
 * what it wrote, and `stderr` what of that it wrote there. With `show`, the output goes to the terminal, and
 * `output` has `stderr` only.
 */
export function exec(command, args, { cwd = root, env = process.env, show = false, shell = false } = {}) {
  return new Promise((resolve) => {
    const chunks = [];
    const errors = [];
    const stdio = ["ignore", show ? "inherit" : "pipe", "pipe"];
    const child = spawn(command, args, { cwd, env, shell, stdio });
    for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => errors.push(chunk));
    if (show) child.stderr?.pipe(process.stderr, { end: false });
    const finish = (code, more) => {
      const [output, stderr] = [chunks, errors].map((parts) => Buffer.concat(parts).toString());
      resolve({ code, ok: code === 0, output: output + more, stderr });
    };
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
