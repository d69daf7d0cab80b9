import { spawn } from "node:child_process";
import { constants } from "node:os";
import { turbo } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

/** A stage that takes less, in milliseconds, is not announced. */
const WORTH_A_LINE_MS = 400;
const LEAVE_WITH_PARENT = new URL("./lib/leave-with-parent.mjs", import.meta.url).href;

// A signal to `npm start` ends npm and its shell, and does not reach this process.
if (process.env.npm_lifecycle_event === "start") await import(LEAVE_WITH_PARENT);

const { env } = await stage("Installing", install);
await stage("Building", () => turbo(["build"], env, "--filter=@pawl/example-playground..."));
serve();

/** Runs one stage; leaves with its output if it fails. */
async function stage(name, work) {
  const line = setTimeout(() => console.log(`${name}…`), WORTH_A_LINE_MS);
  const result = await work();
  clearTimeout(line);
  if (result.ok) return result;
  console.error(`${result.output.trim()}\n\n${name} failed.`);
  process.exit(1);
}

/**
 * Runs the playground's server with our terminal and our exit code. It has a process group of its own, so
 * that each signal reaches it exactly once, from here: a second one would cut its shutdown short.
 */
function serve() {
  const server = spawn(projectNode(), ["--import", LEAVE_WITH_PARENT, "server/main.ts"], {
    cwd: at("examples", "playground"),
    env,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  server.on("error", (error) => {
    console.error(`The server did not start: ${error.message}`);
    process.exit(1);
  });
  server.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

  let leaving = false;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      if (!leaving) server.kill(signal);
      leaving = true;
    });
  }
}
