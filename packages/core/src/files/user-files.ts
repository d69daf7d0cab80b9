import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import type { FileInfo, FileStore } from "./file-store.ts";
import { fileBytes } from "./given-bytes.ts";
import { foldersOf, hashedFiles, isFileId } from "./hashed-files.ts";
import { type FileFacts, inspectFile, refusedFile } from "./inspect-file.ts";

/** A user's file: what it contains, and its id. */
export interface UserFile extends FileFacts {
  /** The SHA-256 of the file's bytes in hexadecimal. It is valid for this user only. */
  id: string;
}

/**
 * The files that users send in messages. Each user has files of their own: the same bytes of two users are
 * two files, and an id of another user's file is unknown. Made by `runtime({ files })`.
 */
export interface UserFiles {
  /**
   * Stores a file, and returns what it contains. Storing the same bytes again changes nothing. A string is
   * base64. Rejects with `invalid_input` for a file that no message may have: too large, damaged, encrypted,
   * or neither a picture (PNG, JPEG, GIF, WebP), a PDF nor UTF-8 text. Also rejects with `invalid_input` if
   * the files that the user has not sent yet would have more than 200 MB. Deletes the user's files that were
   * stored more than a day ago and never sent.
   */
  put(userId: string, content: Uint8Array | Blob | string): Promise<UserFile>;
  /** Returns one of the user's files with its bytes. Rejects with `not_found`. */
  get(userId: string, id: string): Promise<UserFile & { content: Uint8Array<ArrayBuffer> }>;
  /**
   * Deletes all files of a user. With `sessionId`, deletes the files that only this session has; call it when
   * you delete a session. Requests that would contain a deleted file have a note in its place.
   */
  delete(userId: string, options?: { sessionId?: string }): Promise<void>;
  /**
   * Deletes the files of a user that were stored more than a day ago and never sent. Without a user, does so
   * for all, and lists the whole file store: call it once a day.
   */
  deleteUnsent(userId?: string): Promise<void>;
}

/** The user files of a runtime, with what only the runtime calls. */
export interface OwnUserFiles extends UserFiles {
  /**
   * Stores files for a message or result of a session. Until `release()`, deleting another session does not
   * delete them. `uploads` are the ids of those that were uploaded before.
   */
  keep(
    userId: string,
    sessionId: string,
    contents: readonly Uint8Array<ArrayBuffer>[],
    uploads?: readonly string[],
  ): Promise<void>;
  /** Notes that a session, e.g. a copy, uses files that are stored already. */
  use(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Deletes these files of a session, unless another session of the user has them too. */
  release(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Returns the bytes of a file; `undefined` if it was deleted or is damaged. */
  read(userId: string, id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The most bytes that a user may have uploaded and not sent: ten messages of the largest size. */
const MOST_UNSENT = 200_000_000;

/** A path in a user's folder of files that were only uploaded. */
const UNSENT = /^[^/]+\/unsent\/[0-9a-f]{64}$/;

/** After this time, in milliseconds, an upload that was not sent may be deleted. */
const UNSENT_MS = 24 * 60 * 60 * 1_000;

/**
 * Keeps users' files in a file store. A file's name is its hash.
 *
 * - `<user>/unsent/<hash>` was uploaded and is in no message yet. Nothing refers to it, so it may be deleted.
 * - `<user>/uploads/<hash>` is in messages or results. A folder of the same name has one empty file for each
 *   session that uses it. When the last of these is removed, the file is deleted.
 *
 * `now` returns the time in milliseconds since 1970, by the clock of the store if possible.
 */
export function userFiles(store: FileStore, now: () => number = Date.now): OwnUserFiles {
  const kept = hashedFiles(store);
  /** Deletes old files that were not sent, and returns the others. */
  const clean = async (folder: string) => {
    const found = await kept.list(folder);
    const unsent = found.filter(({ path }) => UNSENT.test(path));
    const isOld = ({ modifiedAt }: FileInfo) => Date.parse(modifiedAt) < now() - UNSENT_MS;
    for (const { path } of unsent.filter(isOld)) await kept.delete(path);
    return unsent.filter((file) => !isOld(file));
  };
  return {
    put: async (userId, given) => {
      const content = await fileBytes(given);
      const file = { id: await sha256(content), ...(await inspectFile(content)) };
      const { unsent } = await foldersOf(userId);
      const others = (await clean(unsent)).filter(({ path }) => path !== `${unsent}/${file.id}`);
      if (others.reduce((sum, { size }) => sum + size, content.length) > MOST_UNSENT)
        throw refusedFile(
          "Too many files were uploaded and not sent. Send some of them, or try again tomorrow.",
        );
      await kept.put(unsent, file.id, content);
      return file;
    },
    get: async (userId, id) => {
      const content = isFileId(id) ? await kept.read(await foldersOf(userId), id) : undefined;
      if (content === undefined) throw new PawlError("not_found", "There is no such file.");
      return { id, ...(await inspectFile(content)), content };
    },
    delete: async (userId, { sessionId } = {}) => {
      const folders = await foldersOf(userId);
      const { sent, unsent } = folders;
      const found = await kept.list(sent);
      if (sessionId === undefined) {
        for (const { path } of [...found, ...(await kept.list(unsent))]) await kept.delete(path);
        return;
      }
      const session = await sha256(sessionId);
      for (const { path } of found) {
        const [id = "", use] = path.slice(sent.length + 1).split("/");
        if (use === session) await kept.release(folders, session, id);
      }
    },
    deleteUnsent: async (userId) => {
      await clean(userId === undefined ? "" : (await foldersOf(userId)).unsent);
    },
    keep: async (userId, sessionId, contents, uploads = []) => {
      const { sent: folder, unsent } = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const content of contents) {
        const id = await sha256(content);
        await kept.use(folder, session, id);
        await kept.put(folder, id, content);
      }
      for (const id of uploads) await kept.delete(`${unsent}/${id}`);
    },
    use: async (userId, sessionId, ids) => {
      const { sent: folder } = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await kept.use(folder, session, id);
    },
    release: async (userId, sessionId, ids) => {
      const folders = await foldersOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await kept.release(folders, session, id);
    },
    read: async (userId, id) => await kept.read(await foldersOf(userId), id),
  };
}
