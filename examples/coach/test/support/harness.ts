import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EventStore,
  type FileStore,
  type ModelClient,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  runtime,
  type StoredOf,
} from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { type Reply, type Script, scriptedModel, strictModel } from "@pawl/testing";
import { onTestFinished } from "vitest";
import { type CoachDepsOptions, type CoachOptions, coach, coachDeps, coachRules } from "../../src/index.ts";

/** A Saturday morning in Berlin. */
export const MORNING = Date.parse("2026-11-21T08:00:00Z");
export const EVENING = Date.parse("2026-11-21T19:00:00Z");

/** Creates a folder that is removed after the test. */
export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pawl-coach-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Returns the paths of all files below `dir`, sorted. */
export async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}

/** The options of a test's coach. */
export interface Setting extends Partial<CoachDepsOptions>, Omit<CoachOptions, "model"> {
  log?: EventStore;
  leaseTtlMs?: number;
}

export interface Coached {
  pawl: Runtime;
  log: EventStore;
  files: FileStore;
  ask(options: Partial<RunOptions>): Promise<RunResult>;
  /** Returns the results of a session's calls, in order. */
  results(sessionId: string): Promise<StoredOf<"tool_result">["data"][]>;
}

/** Creates a coach over a memory store, with a scripted model and its files in `dir`. */
export async function scriptedCoach(script: Script, dir?: string, setting: Setting = {}) {
  const folder = dir ?? (await tempDir());
  const model = scriptedModel(script);
  return { model, dir: folder, ...coached(model, { files: diskFiles(folder), ...setting }) };
}

/**
 * Creates a coach over the strict simulator, which refuses requests that the real API refuses. The replies
 * come from the rules or a script.
 */
export async function ruledCoach(dir?: string, setting: Setting & { script?: readonly Reply[] } = {}) {
  const folder = dir ?? (await tempDir());
  const { script, ...others } = setting;
  const speed = Number.POSITIVE_INFINITY;
  const model = strictModel(script === undefined ? { rules: coachRules({ speed }) } : { script });
  return { model, dir: folder, ...coached(model, { files: diskFiles(folder), ...others }) };
}

/** Creates a runtime with the coach, which stands for one process. */
export function coached(
  model: ModelClient,
  {
    log = memoryStore(),
    leaseTtlMs,
    files,
    hooks,
    summarize,
    onContext,
    fallback,
    reservations,
    ...more
  }: Setting & { files: FileStore },
): Coached {
  const options = {
    ...(hooks && { hooks }),
    ...(summarize && { summarize }),
    ...(onContext && { onContext }),
    ...(fallback && { fallback }),
    ...(reservations && { reservations }),
  };
  const deps = coachDeps({ files, store: log, timeZone: "Europe/Berlin", now: () => MORNING, ...more });
  const lease = leaseTtlMs === undefined ? {} : { times: { leaseTtlMs } };
  const pawl = runtime({ agents: [coach({ model, ...options })], store: log, files, deps, ...lease });
  return {
    pawl,
    log,
    files,
    ask: (asked) => pawl.run("coach", { userId: "ada", ...asked }).result,
    results: async (sessionId) => {
      const events = await Array.fromAsync(log.read(sessionId, { types: ["tool_result"] }));
      return events.map(({ data }) => data as StoredOf<"tool_result">["data"]);
    },
  };
}

/** Scripts one turn with these calls, and a last text. */
export function calling(...tools: [name: string, input: object][]): Reply[] {
  return [{ tools: tools.map(([name, input]) => ({ name, input: input as never })) }, { text: "There." }];
}

/** Scripts one turn with these calls of `save_file`, and a last text. */
export function saving(...inputs: object[]): Reply[] {
  return calling(...inputs.map((input): [string, object] => ["save_file", input]));
}
