import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Job } from "./main.ts";
import type { Outcome } from "./simulate.ts";

/** Makes a folder for built simulations. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), "pawl-simulation-"));

/** Runs a job by a built simulation, in a process of its own, because it replaces the process's timers. */
export async function runSeeds(path: string, job: Job): Promise<Outcome[]> {
  const program = spawn(process.execPath, [path, JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  program.stderr.on("data", (text) => {
    errors += String(text);
  });
  const closed = new Promise<number | null>((resolve) => program.on("close", resolve));
  const outcomes: Outcome[] = [];
  for await (const line of createInterface({ input: program.stdout }))
    outcomes.push(JSON.parse(line) as Outcome);
  const code = await closed;
  if (code !== 0) throw new Error(`the simulation ended with ${code}: ${errors.slice(0, 2_000)}`);
  return outcomes;
}

/** Returns `count` seeds from `first` on. */
export const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => first + at);

/** Returns what a seed with faults has done wrong, and how to see it again. */
export const described = ({ seed, mode, faults }: Outcome): string =>
  `PAWL_SEED=${seed} (${mode}): ${faults.join("; ").slice(0, 600)}`;

/** Adds up a count over all seeds. */
export const sumOf = (outcomes: readonly Outcome[], name: string): number =>
  outcomes.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
