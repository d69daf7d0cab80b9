// Receives the paths of programs, runs these one after another to their ends, and sends back their output. Modules
// that all programs import are loaded once.
import { inspect } from "node:util";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { newPglite, startPglite } from "./new-pglite.ts";

/** A program to run, and its environment variables. */
export interface Program {
  file: string;
  env: Readonly<Record<string, string>>;
}

export interface Said {
  stdout: string;
  stderr: string;
}

let said: Said = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"] as const) {
  process[name].write = ((chunk: string | Uint8Array) => {
    said[name] += chunk.toString();
    return true;
  }) as typeof process.stdout.write;
}
const note = (error: unknown): void => {
  said.stderr += inspect(error);
};
process.on("unhandledRejection", note);
process.on("uncaughtException", note);

// A program's new database in memory is copied from prepared files, which is much faster than creating them.
PGlite.create = (async (...given: [first?: PGliteOptions | string, more?: PGliteOptions]) => {
  const [first = {}, more] = given;
  const options = typeof first === "string" ? { ...more, dataDir: first } : first;
  const { dataDir = "memory://", loadDataDir: _, ...others } = options;
  return dataDir.startsWith("memory://") ? await newPglite(others) : await startPglite(dataDir, options);
}) as typeof PGlite.create;

let running: Program | undefined;
let isEvaluated = false;

process.on("message", async (program: Program) => {
  said = { stdout: "", stderr: "" };
  running = program;
  isEvaluated = false;
  Object.assign(process.env, program.env);
  // From now on only the program keeps this process alive.
  process.channel?.unref();
  await import(program.file).catch(note);
  isEvaluated = true;
});

// A program has ended when nothing is left that would keep a process alive, as if it ran alone.
process.on("beforeExit", () => {
  if (running === undefined) return;
  if (!isEvaluated) said.stderr += "The program ended while it was waiting: a top-level await never settled.";
  for (const name of Object.keys(running.env)) delete process.env[name];
  running = undefined;
  process.channel?.ref();
  process.send?.(said);
});
