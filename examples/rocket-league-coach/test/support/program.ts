import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { bundled } from "../../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";

/** One of the example's programs in a process of its own. */
export interface Program {
  /** Starts the process, unless it runs. */
  start(): Promise<void>;
  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<void>;
  /** Ends the process with SIGTERM. Resolves to the exit code. */
  leave(): Promise<number | null>;
  /** What it printed so far. */
  readonly output: string;
}

/** Prepares `src/main/<name>.ts` with these environment variables. Without `bundle`, it runs from its sources. */
export function program(
  name: "backend" | "front" | "embedded",
  env: Readonly<Record<string, string>>,
  { bundle = true } = {},
): Program {
  let child: ChildProcess | undefined;
  let output = "";
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const gone = once(child, "exit");
    child.kill(signal);
    return (await gone)[0] as number | null;
  };
  return {
    async start() {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) return;
      const source = join(import.meta.dirname, "../../src/main", `${name}.ts`);
      const file = bundle ? await bundled(source) : source;
      const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...inherited } = process.env;
      const started = spawn(process.execPath, [...NODE_FLAGS, file], {
        env: { ...inherited, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const hear = (chunk: Buffer) => {
        output += chunk.toString();
        if (/ready at/.test(chunk.toString())) resolve();
      };
      started.stdout.on("data", hear);
      started.stderr.on("data", hear);
      started.once("exit", (code) => reject(new Error(`The ${name} ended with ${code}:\n${output}`)));
      await promise;
    },
    kill: async () => void (await end("SIGKILL")),
    leave: () => end("SIGTERM"),
    get output() {
      return output;
    },
  };
}
