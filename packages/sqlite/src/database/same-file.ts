import { PawlError } from "@pawl/core";
import { builtin } from "./builtin.ts";

/** The part of `node:fs` that identifies a file. */
interface FileSystem {
  statSync(
    path: string,
    options: { bigint: true; throwIfNoEntry: false },
  ): { dev: bigint; ino: bigint } | undefined;
}

/**
 * Returns a function that throws `store_unavailable` once the database's file, or its write-ahead log if
 * `hasLog`, has been deleted or replaced since it was opened. Never throws for `""`, a database in memory.
 */
// The system lets a process write to a deleted file as before, so SQLite notices nothing, and everything is
// lost when the process ends. SQLite deletes the log itself only when its last connection closes.
export function sameFileCheck(path: string, { hasLog }: { hasLog: boolean }): () => void {
  const fs = builtin<FileSystem>("node:fs");
  if (path === "" || fs === undefined) return () => undefined;
  const names = hasLog ? [path, `${path}-wal`] : [path];
  const opened = new Map<string, string>();
  return () => {
    for (const name of names) {
      const file = fs.statSync(name, { bigint: true, throwIfNoEntry: false });
      const id = file && `${file.dev} ${file.ino}`;
      const before = opened.get(name);
      // The log may come into being later than the file.
      if (before === undefined && id !== undefined) opened.set(name, id);
      else if (before !== id) throw new PawlError("store_unavailable", gone(name));
    }
  };
}

const gone = (name: string) =>
  `The file "${name}" was deleted or replaced while it was open, so nothing that is written would be kept. Put it back, or restart the process.`;
