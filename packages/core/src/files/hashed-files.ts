import { kindOf } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import type { FileInfo, FileStore } from "./file-store.ts";
import type { FileWork } from "./file-work.ts";
import type { FileFacts } from "./inspect-file.ts";
import { factsIn, factsPath, factsText } from "./stored-facts.ts";

/** Ids of users that may stand in a path as they are. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9@|_-]{0,63}$/;

/** The folders of a user's files: those in messages and results, and those that were only uploaded. */
export interface Folders {
  sent: string;
  unsent: string;
}

/** Returns the folders of a user's files. An id that no path may contain is hashed. */
export async function foldersOf(userId: string): Promise<Folders> {
  if (typeof userId !== "string" || userId === "")
    throw new PawlError("invalid_input", `The id of the user must be a string; got ${kindOf(userId)}.`);
  const user = PLAIN_ID.test(userId) ? userId : `~${await sha256(userId)}`;
  return { sent: `${user}/uploads`, unsent: `${user}/unsent` };
}

/** Files in a file store, by their hash, each with its facts beside it. */
export interface HashedFiles {
  /** Stores a file, and then its facts: where these are, the bytes are too. */
  put(folder: string, id: string, content: Uint8Array, facts: FileFacts | undefined): Promise<void>;
  /** Stores that a session uses a file. */
  use(folder: string, session: string, id: string): Promise<void>;
  /** Returns the facts of a file in a folder; `undefined` if it is not there, or was stored without them. */
  factsAt(folder: string, id: string): Promise<FileFacts | undefined>;
  /** Returns the facts of a file in either folder. */
  facts(folders: Folders, id: string): Promise<FileFacts | undefined>;
  /** Returns the bytes of a file; `undefined` if the file does not exist or is damaged. */
  read(folders: Folders, id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Removes a session's use of a file. If that was the last one, deletes the file and its upload. */
  release(folders: Folders, session: string, id: string): Promise<void>;
  list(folder: string): Promise<FileInfo[]>;
  /** Deletes a file's facts, and then its bytes. */
  remove(folder: string, id: string): Promise<void>;
  delete(path: string): Promise<void>;
}

/** Keeps files by their hash in a file store. Its errors are `store_unavailable`. */
export function hashedFiles(store: FileStore): HashedFiles {
  const put = async (folder: string, id: string, content: Uint8Array, facts: FileFacts | undefined) => {
    await fileStoreCall(() => store.put(`${folder}/${id}`, content));
    if (facts !== undefined) await fileStoreCall(() => store.put(factsPath(folder, id), factsText(facts)));
  };
  const use = async (folder: string, session: string, id: string) => {
    await fileStoreCall(() => store.put(`${folder}/${id}/${session}`, ""));
  };
  const contentAt = async (path: string) => {
    try {
      return (await fileStoreCall(() => store.get(path))).content as Uint8Array<ArrayBuffer>;
    } catch (error) {
      if (PawlError.is(error, "not_found")) return undefined;
      throw error;
    }
  };
  const readAt = async (folder: string, id: string) => {
    const content = await contentAt(`${folder}/${id}`);
    return content !== undefined && (await sha256(content)) === id ? content : undefined;
  };
  const factsAt = async (folder: string, id: string) => {
    const content = await contentAt(factsPath(folder, id));
    return content && factsIn(content);
  };
  /**
   * Looks into `sent` twice: the file may move there from `unsent` between the looks, when its message is
   * sent.
   */
  const inEither = async <T>({ sent, unsent }: Folders, look: (folder: string) => Promise<T | undefined>) =>
    (await look(sent)) ?? (await look(unsent)) ?? (await look(sent));
  const remove = async (folder: string, id: string) => {
    await fileStoreCall(() => store.delete(factsPath(folder, id)));
    await fileStoreCall(() => store.delete(`${folder}/${id}`));
  };
  const release = async ({ sent, unsent }: Folders, session: string, id: string) => {
    const uses = `${sent}/${id}`;
    await fileStoreCall(() => store.delete(`${uses}/${session}`));
    const isUsed = async () => (await fileStoreCall(() => store.list(uses))).length > 0;
    if (await isUsed()) return;
    const content = await readAt(sent, id);
    const facts = await factsAt(sent, id);
    await remove(sent, id);
    await remove(unsent, id);
    // Another session may have begun to use the file in the meantime. It stores its use before it writes or
    // reads the bytes, so either it or this deletion sees the other.
    if (content !== undefined && (await isUsed())) await put(sent, id, content, facts);
  };
  return {
    put,
    use,
    factsAt,
    facts: (folders, id) => inEither(folders, (folder) => factsAt(folder, id)),
    read: (folders, id) => inEither(folders, (folder) => readAt(folder, id)),
    release,
    list: (folder) => fileStoreCall(() => store.list(folder)),
    remove,
    delete: (path) => fileStoreCall(() => store.delete(path)),
  };
}

/** Returns whether a text has the form of a file's id. */
export function isFileId(id: unknown): id is string {
  return typeof id === "string" && /^[0-9a-f]{64}$/.test(id);
}

async function fileStoreCall<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new PawlError("store_unavailable", "The file store failed.", { cause });
  }
}

/** What the functions for users' files share. */
export interface UserFileParts {
  kept: HashedFiles;
  work: FileWork;
  clock: Clock;
}
