import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";

/** A playground server in a process of its own. */
export interface Server {
  process: ChildProcess;
  /** Returns everything that the process has printed. */
  output(): string;
  /**
   * Resolves to the address in the ready line. Rejects with the output if the process ends before that line.
   */
  ready: Promise<string>;
  /** Resolves to the exit code, or to the signal that ended the process. */
  exited: Promise<number | string>;
}

/** The server's program. */
export const MAIN: string = join(import.meta.dirname, "../../server/main.ts");

/** Starts `server/main.ts`, or a bundle of it. */
export function startServer(env: Record<string, string>, program: string): Server {
  const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    env: { ...inherited, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const exited = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      printed += chunk.toString();
      const url = /^Playground ready at (\S+)\n/m.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    void exited.then(() => reject(new Error(printed)));
  });
  ready.catch(() => undefined);
  return { process: child, output: () => printed, ready, exited };
}
