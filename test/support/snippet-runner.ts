// Receives the paths of programs, runs these one after another, and sends back their output. Modules that all
// programs import are loaded once.
import { inspect } from "node:util";

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

process.on("message", async ({ file, env }: Program) => {
  said = { stdout: "", stderr: "" };
  Object.assign(process.env, env);
  await import(file).catch(note);
  for (const name of Object.keys(env)) delete process.env[name];
  process.send?.(said);
});
