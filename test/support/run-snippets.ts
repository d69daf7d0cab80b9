import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Program, Said } from "./snippet-runner.ts";

/** Runs programs one after another in one process, with the built packages, as users have them. */
export interface Snippets {
  /**
   * Runs a program, waits until nothing keeps it alive, and resolves to its output. Rejects if the program does
   * not end.
   */
  run(program: Program): Promise<Said>;
  /** Ends the process. Resolves to its exit code, and rejects if the process does not end by itself. */
  end(): Promise<number | null>;
}

/** Makes a process for programs, with the environment variables `env`. It starts with the first program. */
export function snippetRunner({ timeoutMs = 55_000, env = process.env } = {}): Snippets {
  let runner: ChildProcess | undefined;
  return {
    run: async (program) => {
      // The conditions are those of users. Optimizing Postgres's WebAssembly would cost more than it saves.
      const options = { execArgv: ["--liftoff-only"], env };
      runner ??= fork(join(import.meta.dirname, "snippet-runner.ts"), options);
      runner.send(program);
      try {
        const [said] = await once(runner, "message", { signal: AbortSignal.timeout(timeoutMs) });
        return said as Said;
      } catch (cause) {
        runner.kill();
        runner = undefined;
        throw new Error("The program did not end.", { cause });
      }
    },
    end: async () => {
      if (runner === undefined) return 0;
      const ended = once(runner, "exit", { signal: AbortSignal.timeout(timeoutMs) });
      runner.disconnect();
      const [code] = await ended;
      return code;
    },
  };
}
