import { sha256 } from "../base/sha256.ts";
import type { AskedWork, WorkLimit, WorkPlace } from "../base/work-limit.ts";
import { type FileFacts, inspectFile } from "./inspect-file.ts";
import type { UserFile } from "./user-files.ts";

/** Limits the work on files in this process. All code that holds the bytes of a file has a place here. */
export interface FileWork extends WorkLimit {
  /** Waits for a place, calls `work`, and leaves the place when `work` settles. */
  within<T>(request: AskedWork, work: (place: WorkPlace) => Promise<T>): Promise<T>;
  /**
   * Returns the id and the facts of a file. `id` is its hash if that is already known. The facts of recently
   * inspected files are cached by their hash.
   */
  inspect(content: Uint8Array<ArrayBuffer>, id?: string): Promise<UserFile>;
}

/** The most files whose facts are cached, for files whose facts are not stored. */
const MOST_CACHED = 1_000;

/**
 * Creates the limit for the work on files.
 *
 * @param inspectBytes inspects a file by its bytes
 */
export function newFileWork(limit: WorkLimit, inspectBytes: typeof inspectFile = inspectFile): FileWork {
  // Keyed by the hash of the bytes, the facts are never stale. Only code that has the bytes looks them up.
  const cache = new Map<string, FileFacts>();
  return {
    ...limit,
    within: async (request, work) => {
      const place = await limit.enter(request);
      try {
        return await work(place);
      } finally {
        place.leave();
      }
    },
    inspect: async (content, knownId) => {
      const id = knownId ?? (await sha256(content));
      const facts = cache.get(id) ?? (await inspectBytes(content));
      // Moves the entry to the end: the first entry is the one that was used longest ago.
      cache.delete(id);
      cache.set(id, facts);
      if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value ?? "");
      return { id, ...facts };
    },
  };
}
