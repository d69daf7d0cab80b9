import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type FileStore, PawlError, type PawlErrorCode, readText } from "@pawl/core";

/** One check of a file store. */
export interface FileCheck {
  name: string;
  run(bench: FileBench): Promise<void>;
}

/** A file store, with helpers for the checks. */
export interface FileBench {
  files: FileStore;
  /** Returns a path in a folder that only this case uses. */
  at(path: string): string;
  /** Resolves to the text of a file, given its path in the case's folder. */
  text(path: string): Promise<string>;
  /** Lists the case's files, or those in one of its folders. The paths are relative to the case's folder. */
  paths(folder?: string): Promise<string[]>;
}

/** Returns a file store with helpers for the checks. */
export function fileBench(files: FileStore): FileBench {
  const home = randomUUID();
  return {
    files,
    at: (path) => `${home}/${path}`,
    text: (path) => readText(files, `${home}/${path}`),
    async paths(folder) {
      const found = await files.list(folder === undefined ? home : `${home}/${folder}`);
      return found.map(({ path }) => path.slice(home.length + 1));
    },
  };
}

/** Asserts that `work` rejects with a PawlError with this code. */
export async function refuses(
  work: () => Promise<unknown>,
  code: PawlErrorCode,
  what: string,
): Promise<void> {
  let error: unknown;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(PawlError.is(error), `${what}: expected a PawlError "${code}", got ${String(error)}`);
  assert.equal(error.code, code, what);
}
