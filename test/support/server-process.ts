import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundled } from "./bundled.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import { freePort } from "./postgres-server.ts";

/** A server in a process of its own, on a port that stays the same after restarts. */
export interface ServerProcess {
  readonly port: number;
  start(): Promise<void>;
  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<void>;
}

/**
 * Prepares the server `file`. It gets `args` and its port as arguments, and prints a line when it is ready.
 */
export async function serverProcess(file: string, args: readonly string[]): Promise<ServerProcess> {
  const port = await freePort();
  const path = await bundled(new URL(file, import.meta.url).pathname);
  let child: ChildProcess | undefined;
  return {
    port,
    async start() {
      const started = spawn(process.execPath, [...NODE_FLAGS, "--expose-gc", path, ...args, String(port)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      child = started;
      const failed = once(started, "exit").then(([code]) => {
        throw new Error(`The server ended with ${code} before it was ready.`);
      });
      await Promise.race([once(started.stdout, "data"), failed]);
      failed.catch(() => undefined);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
