import { kindOf } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import type { FileInfo, FileStore } from "./file-store.ts";
import type { FileWork } from "./file-work.ts";
import type { FileFacts } from "./inspect-file.ts";
import { factsIn, factsPath, factsText } from "./stored-facts.ts";

/** Ids of users that are used in paths unchanged. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9@|_-]{0,63}$/;

/** The folders of a user's files in the file store. */
export interface Folders {
  /** The folder of files in messages and results. */
  sent: string;
  /** The folder of files that were uploaded and not sent yet. */
  unsent: string;
}

/** Returns the folders of a user's files. Hashes a user id that does not match {@link PLAIN_ID}. */
export async function foldersOf(userId: string): Promise<Folders> {
  if (typeof userId !== "string" || userId === "")
    throw new PawlError("invalid_input", `The id of the user must be a string; got ${kindOf(userId)}.`);
  const user = PLAIN_ID.test(userId) ? userId : `~${await sha256(userId)}`;
  return { sent: `${user}/uploads`, unsent: `${user}/unsent` };
}

/** Files in a file store, named by their hash. The facts of each file are stored beside it. */
export interface HashedFiles {
  /** Stores a file's bytes first and its facts second, so that facts are only there if the bytes are. */
  put(folder: string, id: string, content: Uint8Array, facts: FileFacts | undefined): Promise<void>;
  /** Records that a session uses a file. */
  use(folder: string, session: string, id: string): Promise<void>;
  /**
   * Returns the facts of a file in a folder. Returns `undefined` if the folder has no valid facts of the
   * file.
   */
  factsAt(folder: string, id: string): Promise<FileFacts | undefined>;
  /** Returns the facts of a file in either folder; `undefined` if neither has valid ones. */
  facts(folders: Folders, id: string): Promise<FileFacts | undefined>;
  /** Returns the bytes of a file; `undefined` if the file does not exist or is damaged. */
  read(folders: Folders, id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Removes the record that a session uses a file. If no other session uses the file, deletes it from both
   * folders.
   */
  release(folders: Folders, session: string, id: string): Promise<void>;
  list(folder: string): Promise<FileInfo[]>;
  /** Deletes a file's facts, and then its bytes. */
  remove(folder: string, id: string): Promise<void>;
  delete(path: string): Promise<void>;
}

/**
 * Stores files under their hash in a file store. Errors of the store that are no `PawlError` become
 * `store_unavailable`.
 */
export function hashedFiles(store: FileStore): HashedFiles {
  const put = async (folder: string, id: string, content: Uint8Array, facts: FileFacts | undefined) => {
    await fileStoreCall(() => store.put(`${folder}/${id}`, content));
    if (facts !== undefined) await fileStoreCall(() => store.put(factsPath(folder, id), factsText(facts)));
  };
  const use = async (folder: string, session: string, id: string) => {
    await fileStoreCall(() => store.put(`${folder}/${id}/${session}`, ""));
  };
  /** Returns the content at a path; `undefined` if there is no file. */
  const contentAt = async (path: string) => {
    try {
      return (await fileStoreCall(() => store.get(path))).content as Uint8Array<ArrayBuffer>;
    } catch (error) {
      if (PawlError.is(error, "not_found")) return undefined;
      throw error;
    }
  };
  /** Returns the bytes only if they match the hash. */
  const readAt = async (folder: string, id: string) => {
    const content = await contentAt(`${folder}/${id}`);
    return content !== undefined && (await sha256(content)) === id ? content : undefined;
  };
  const factsAt = async (folder: string, id: string) => {
    const content = await contentAt(factsPath(folder, id));
    return content && factsIn(content);
  };
  /**
   * Looks into `sent` twice: when its message is sent, the file may move there from `unsent` between two
   * looks.
   */
  const inEither = async <T>({ sent, unsent }: Folders, find: (folder: string) => Promise<T | undefined>) =>
    (await find(sent)) ?? (await find(unsent)) ?? (await find(sent));
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

/** The dependencies of the functions for users' files. */
export interface UserFileParts {
  kept: HashedFiles;
  work: FileWork;
  clock: Clock;
}
