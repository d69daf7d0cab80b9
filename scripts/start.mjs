import { spawn } from "node:child_process";
import { constants } from "node:os";
import { turbo } from "./lib/exec.mjs";
import { install } from "./lib/install.mjs";
import { at, projectNode } from "./lib/project.mjs";

/** Stages that take fewer milliseconds than this are not announced. */
const WORTH_A_LINE_MS = 400;
const LEAVE_WITH_PARENT = new URL("./lib/leave-with-parent.mjs", import.meta.url).href;

// A signal to `npm start` ends npm and its shell, but does not reach this process.
if (process.env.npm_lifecycle_event === "start") await import(LEAVE_WITH_PARENT);

const { env } = await stage("Installing", install);
await stage("Building", () => turbo(["build"], env, "--filter=@pawl/example-playground..."));
serve();

/** Runs one stage. If it fails, prints its output and exits. */
async function stage(name, work) {
  const line = setTimeout(() => console.log(`${name}…`), WORTH_A_LINE_MS);
  const result = await work();
  clearTimeout(line);
  if (result.ok) return result;
  console.error(`${result.output.trim()}\n\n${name} failed.`);
  process.exit(1);
}

/**
 * Runs the playground's server with this terminal and exits with its exit code. The server has its own
 * process group, so it gets each signal exactly once, from here. A second signal would cut its shutdown
 * short.
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
