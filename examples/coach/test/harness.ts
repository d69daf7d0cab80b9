import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, type RunOptions, type RunResult, runtime } from "@pawl/core";
import { coach } from "@pawl/example-coach";
import { type Reply, type Script, scriptedModel, strictModel } from "@pawl/testing";
import { onTestFinished } from "vitest";
import { coachRules } from "../src/index.ts";

/** A folder that is gone after the test. */
export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pawl-coach-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Every file below `dir`, sorted. */
export async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}

/** The coach over a memory store, its model playing a script. */
export async function scriptedCoach(script: Script, dir?: string) {
  const files = dir ?? (await tempDir());
  const model = scriptedModel(script);
  return { model, ...start(model, files) };
}

/** The coach over the strict simulator, which refuses what the API refuses, playing the rules. */
export async function ruledCoach(dir?: string) {
  const files = dir ?? (await tempDir());
  const model = strictModel({ rules: coachRules({ speed: Number.POSITIVE_INFINITY }) });
  return { model, ...start(model, files) };
}

function start(model: Parameters<typeof coach>[0]["model"], dir: string) {
  const deps = () => ({ dir, today: () => "2026-11-21" });
  const pawl = runtime({ agents: [coach({ model })], store: memoryStore(), deps });
  const ask = (options: Partial<RunOptions>): Promise<RunResult> =>
    pawl.run("coach", { userId: "ada", ...options }).result;
  return { pawl, ask, dir };
}

/** One turn with one call of `save_file`, and a last word. */
export function saving(...inputs: object[]): Reply[] {
  return [
    { tools: inputs.map((input) => ({ name: "save_file", input: input as never })) },
    { text: "There." },
  ];
}
