import { type StrictModelOptions, strictModel } from "@pawl/testing";
import { expect } from "vitest";
import type { Way } from "../../../../test/support/each-way.ts";
import { sha256 } from "../../src/base/sha256.ts";
import { inspectFile } from "../../src/files/inspect-file.ts";
import type { FileToKeep } from "../../src/files/user-files.ts";
import {
  type AgentOptions,
  agent,
  type EventStore,
  type FileStore,
  type Json,
  memoryFiles,
  memoryStore,
  type RunOptions,
  type RuntimeOptions,
  runtime,
} from "../../src/index.ts";

/** An agent over a simulated API, with a log and a file store of its own. */
export function filing(
  script: StrictModelOptions["script"] | StrictModelOptions["rules"],
  options: Partial<AgentOptions<undefined>> & { store?: EventStore; files?: FileStore; as?: Way[1] } = {},
  more: Partial<RuntimeOptions<undefined>> = {},
) {
  const { store = memoryStore(), files = memoryFiles(), as, ...own } = options;
  const model = strictModel(typeof script === "function" ? { rules: script } : { ...(script && { script }) });
  const looker = agent({ name: "looker", model, instructions: "You look at pictures.", ...own });
  const times = { storeRetryMs: [], abortGraceMs: 20, ...more.times };
  const given = { agents: [looker], store, files, ...more, times };
  const pawl = runtime(as?.(given) ?? given);
  return {
    model,
    store,
    files,
    pawl,
    say: async (input: NonNullable<RunOptions["input"]>, given: Partial<RunOptions> = {}) =>
      await pawl.run("looker", { userId: "ada", input, ...given }).result,
    /** What is stored in the file store, sorted, with the sessions that use a file as `<id>/+`. */
    paths: async (userId = "ada") =>
      withoutFacts(await files.list(`${userId}/uploads`)).map((path) =>
        path
          .replace(`${userId}/uploads/`, "")
          .replace(/^(.{8})[^/]*/, "$1")
          .replace(/\/.*/, "/+"),
      ),
    log: async (sessionId: string) => await Array.fromAsync(store.read(sessionId)),
    /** The blocks of all user messages of the last request. */
    sent: () =>
      ((model.requests.at(-1)?.messages ?? []) as { role: string; content: { [field: string]: Json }[] }[])
        .filter(({ role }) => role === "user")
        .flatMap(({ content }) => content)
        .map(({ cache_control: _, ...block }) => block),
  };
}

/** Returns the paths of files without those of their facts. Each file must have its facts, and no other may. */
export function withoutFacts(found: readonly { path: string }[]): string[] {
  const paths = found.map(({ path }) => path);
  const hasBytes = (path: string) => /\/[0-9a-f]{64}$/.test(path) && path.split("/").length === 3;
  const facts = paths.filter((path) => path.endsWith(".facts"));
  expect(facts).toEqual(paths.filter(hasBytes).map((path) => `${path}.facts`));
  return paths.filter((path) => !facts.includes(path));
}

/** Returns the code and message with which a promise rejects. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "not refused",
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
}

/** A file as a message or a result has it before it is kept. */
export async function toKeep(content: Uint8Array<ArrayBuffer>): Promise<FileToKeep> {
  return { id: await sha256(content), ...(await inspectFile(content)), content };
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
