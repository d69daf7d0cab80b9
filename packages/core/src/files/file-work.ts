import { sha256 } from "../base/sha256.ts";
import type { AskedWork, WorkLimit, WorkPlace } from "../base/work-limit.ts";
import { type FileFacts, inspectFile } from "./inspect-file.ts";
import type { UserFile } from "./user-files.ts";

/** The one place where files are worked on: everything that has the bytes of a file has a place here. */
export interface FileWork extends WorkLimit {
  /** Calls `work` in a place, which is left when `work` settles. */
  within<T>(asked: AskedWork, work: (place: WorkPlace) => Promise<T>): Promise<T>;
  /** Returns what a file contains. The same bytes are inspected once, as long as they are remembered. */
  inspect(content: Uint8Array<ArrayBuffer>, id?: string): Promise<UserFile>;
}

/** The number of files that are remembered, for those whose facts are not stored. */
const MOST_REMEMBERED = 1_000;

/**
 * Makes the place where files are worked on.
 *
 * @param inspectBytes inspects a file by its bytes
 */
export function newFileWork(limit: WorkLimit, inspectBytes: typeof inspectFile = inspectFile): FileWork {
  // The hash names the bytes, so what is remembered stays true, and tells no user about another one's files.
  const remembered = new Map<string, FileFacts>();
  return {
    ...limit,
    within: async (asked, work) => {
      const place = await limit.enter(asked);
      try {
        return await work(place);
      } finally {
        place.leave();
      }
    },
    inspect: async (content, known) => {
      const id = known ?? (await sha256(content));
      const facts = remembered.get(id) ?? (await inspectBytes(content));
      remembered.delete(id);
      remembered.set(id, facts);
      if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value ?? "");
      return { id, ...facts };
    },
  };
}
