import type { FileStore } from "@pawl/core";
import type { ContractCase } from "../base/case.ts";
import { type FileCheck, fileBench } from "./file-bench.ts";
import { fileListChecks } from "./file-lists.ts";
import { filePathChecks } from "./file-paths.ts";
import { fileWriteChecks } from "./file-writes.ts";

/** A {@link FileStore} under test. */
export interface FilesUnderTest {
  /** The file store to test. Cases may share it. */
  files: FileStore;
  /** Called at the end of the case. */
  close?(): Promise<void>;
}

const checks: readonly FileCheck[] = [...fileWriteChecks, ...filePathChecks, ...fileListChecks];

/**
 * Returns the contract of {@link FileStore} as cases for any test runner. Each case uses a folder of its own,
 * so `make` may return the same store each time. `close` is called after each case.
 *
 * @example
 * ```ts
 * import { memoryFiles } from "@pawl/core";
 * import { fileStoreContract } from "@pawl/testing";
 *
 * for (const { name, run } of fileStoreContract(async () => ({ files: memoryFiles() }))) {
 *   await run();
 *   console.log(`ok ${name}`);
 * }
 * ```
 */
export function fileStoreContract(make: () => Promise<FilesUnderTest>): ContractCase[] {
  return checks.map(({ name, run }) => ({
    name,
    async run() {
      const { files, close } = await make();
      try {
        await run(fileBench(files));
      } finally {
        await close?.();
      }
    },
  }));
}
