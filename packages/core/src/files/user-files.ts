import { fromBase64 } from "../base/base64.ts";
import { kindOf } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import type { FileStore } from "./file-store.ts";
import { type FileFacts, inspectFile, LARGEST_UPLOAD, refusedFile } from "./inspect-file.ts";

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
   * or neither a picture (PNG, JPEG, GIF, WebP), a PDF nor UTF-8 text.
   */
  put(userId: string, content: Uint8Array | Blob | string): Promise<UserFile>;
  /** Returns one of the user's files with its bytes. Rejects with `not_found`. */
  get(userId: string, id: string): Promise<UserFile & { content: Uint8Array<ArrayBuffer> }>;
  /**
   * Deletes all files of a user. With `sessionId`, deletes the files that only this session has; call it when
   * you delete a session. Requests that would contain a deleted file have a note in its place.
   */
  delete(userId: string, options?: { sessionId?: string }): Promise<void>;
}

/** The user files of a runtime, with what only the runtime calls. */
export interface OwnUserFiles extends UserFiles {
  /**
   * Stores files for a message or result of a session. Until `release()`, deleting another session does not
   * delete them.
   */
  keep(userId: string, sessionId: string, contents: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Notes that a session, e.g. a copy, uses files that are stored already. */
  use(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Deletes these files of a session, unless another session of the user has them too. */
  release(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Returns the bytes of a file; `undefined` if it was deleted or is damaged. */
  read(userId: string, id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/**
 * Keeps users' files in a file store, below `<user>/uploads/`. A file's name is its hash, and a folder of the
 * same name has one empty file for each session that uses it. So the store knows when the last one is gone.
 */
export function userFiles(store: FileStore): OwnUserFiles {
  const put = async (folder: string, id: string, content: Uint8Array) => {
    await fileStoreCall(() => store.put(`${folder}/${id}`, content));
  };
  const use = async (folder: string, session: string, id: string) => {
    await fileStoreCall(() => store.put(`${folder}/${id}/${session}`, ""));
  };
  const read = async (folder: string, id: string) => {
    try {
      const { content } = await fileStoreCall(() => store.get(`${folder}/${id}`));
      return (await sha256(content as Uint8Array<ArrayBuffer>)) === id
        ? (content as Uint8Array<ArrayBuffer>)
        : undefined;
    } catch (error) {
      if (PawlError.is(error, "not_found")) return undefined;
      throw error;
    }
  };
  const release = async (folder: string, session: string, id: string) => {
    const uses = `${folder}/${id}`;
    await fileStoreCall(() => store.delete(`${uses}/${session}`));
    const isUsed = async () => (await fileStoreCall(() => store.list(uses))).length > 0;
    if (await isUsed()) return;
    const content = await read(folder, id);
    await fileStoreCall(() => store.delete(uses));
    // Another session may have begun to use the file in the meantime. It has noted this before it stores or
    // reads the bytes, so that either sees the other.
    if (content !== undefined && (await isUsed())) await put(folder, id, content);
  };
  return {
    put: async (userId, given) => {
      const content = await fileBytes(given);
      const file = { id: await sha256(content), ...(await inspectFile(content)) };
      await put(await folderOf(userId), file.id, content);
      return file;
    },
    get: async (userId, id) => {
      const content = isFileId(id) ? await read(await folderOf(userId), id) : undefined;
      if (content === undefined) throw new PawlError("not_found", "There is no such file.");
      return { id, ...(await inspectFile(content)), content };
    },
    delete: async (userId, { sessionId } = {}) => {
      const folder = await folderOf(userId);
      const found = await fileStoreCall(() => store.list(folder));
      const session = sessionId === undefined ? undefined : await sha256(sessionId);
      for (const { path } of found) {
        const [id = "", use] = path.slice(folder.length + 1).split("/");
        if (session === undefined) await fileStoreCall(() => store.delete(path));
        else if (use === session) await release(folder, session, id);
      }
    },
    keep: async (userId, sessionId, contents) => {
      const folder = await folderOf(userId);
      const session = await sha256(sessionId);
      for (const content of contents) {
        const id = await sha256(content);
        await use(folder, session, id);
        await put(folder, id, content);
      }
    },
    use: async (userId, sessionId, ids) => {
      const folder = await folderOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await use(folder, session, id);
    },
    release: async (userId, sessionId, ids) => {
      const folder = await folderOf(userId);
      const session = await sha256(sessionId);
      for (const id of ids) await release(folder, session, id);
    },
    read: async (userId, id) => await read(await folderOf(userId), id),
  };
}

/** Returns whether a text has the form of a file's id. */
export function isFileId(id: unknown): id is string {
  return typeof id === "string" && /^[0-9a-f]{64}$/.test(id);
}

/**
 * Returns the bytes of a file in one of the forms in which it may be given. A string is base64.
 *
 * @throws PawlError `invalid_input` for another value, and for more bytes than any file may have.
 */
export async function fileBytes(given: unknown): Promise<Uint8Array<ArrayBuffer>> {
  // Checked before anything is copied or decoded.
  const bytes =
    given instanceof Uint8Array ? given.length : given instanceof Blob ? given.size : base64Length(given);
  if (bytes > LARGEST_UPLOAD)
    throw refusedFile(`The file has ${bytes} bytes. At most ${LARGEST_UPLOAD} are allowed.`);
  if (given instanceof Uint8Array) return Uint8Array.from(given);
  return given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : fromBase64(given as string);
}

function base64Length(given: unknown): number {
  if (typeof given === "string") return Math.floor((given.length * 3) / 4);
  throw refusedFile(
    `The data of a file must be a Uint8Array, a Blob, or a string of base64; got ${kindOf(given)}.`,
  );
}

/** Ids of users that may stand in a path as they are. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9@|_-]{0,63}$/;

/** Returns the folder of a user's files. An id that no path may contain is hashed. */
async function folderOf(userId: string): Promise<string> {
  if (typeof userId !== "string" || userId === "")
    throw new PawlError("invalid_input", `The id of the user must be a string; got ${kindOf(userId)}.`);
  return `${PLAIN_ID.test(userId) ? userId : `~${await sha256(userId)}`}/uploads`;
}

async function fileStoreCall<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new PawlError("store_unavailable", "The file store failed.", { cause });
  }
}
