// Receives the paths of programs, runs these one after another, and sends back their output. Modules that all
// programs import are loaded once. Errors that a program prints after its last statement count for the next
// program, and those of the last one fail this process.
import { writeSync } from "node:fs";
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
/** What the next program is blamed for: errors that came after the last one had been reported. */
let late = "";
let running = false;
for (const name of ["stdout", "stderr"] as const) {
  process[name].write = ((chunk: string | Uint8Array) => {
    if (running) said[name] += chunk.toString();
    else if (name === "stderr") late += chunk.toString();
    return true;
  }) as typeof process.stdout.write;
}
const note = (error: unknown): void => {
  process.stderr.write(inspect(error));
};
process.on("unhandledRejection", note);
process.on("uncaughtException", note);

process.on("message", async ({ file, env }: Program) => {
  said = { stdout: "", stderr: late };
  late = "";
  running = true;
  Object.assign(process.env, env);
  await import(file).catch(note);
  for (const name of Object.keys(env)) delete process.env[name];
  running = false;
  process.send?.(said);
});

process.on("exit", () => {
  if (late === "") return;
  writeSync(2, late);
  process.exitCode = 1;
});
