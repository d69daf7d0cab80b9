import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type FileStore, PawlError, type PawlErrorCode, readText } from "@pawl/core";

/** One check of a store of files. */
export interface FileCheck {
  name: string;
  run(bench: FileBench): Promise<void>;
}

/** A store of files with helpers for the checks. */
export interface FileBench {
  files: FileStore;
  /** A path in a folder that only this case uses. */
  at(path: string): string;
  /** The text of a file below {@link FileBench.at}. */
  text(path: string): Promise<string>;
  /** What is listed below {@link FileBench.at}, without that folder. */
  paths(folder?: string): Promise<string[]>;
}

/** See {@link FileBench}. */
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

/** Asserts that work rejects with a PawlError of this code. */
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
