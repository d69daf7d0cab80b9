import type { FileFacts } from "./inspect-file.ts";

/** A user's file: its id and its facts. */
export interface UserFile extends FileFacts {
  /** The SHA-256 of the file's bytes in hexadecimal. It is valid for this user only. */
  id: string;
}

/** A user's file with its bytes, which count against `workLimits` of `runtime()` until it is closed. */
export interface OpenFile extends UserFile {
  content: Uint8Array<ArrayBuffer>;
  /** Frees the bytes. Call it once they are not needed any more, e.g. because a client has them. */
  close(): void;
}

/**
 * The files that users send in messages. Each user has files of their own: the same bytes of two users are
 * two files, and an id of another user's file is unknown. Made by `runtime({ files })`.
 *
 * A process works on a limited number of files and bytes at the same time, see `workLimits` of `runtime()`.
 * Methods that read, inspect or store bytes wait for their turn, and then reject with `overloaded`.
 */
export interface UserFiles {
  /**
   * Stores a file, and returns its id and facts. Storing the same bytes again changes nothing. A string is
   * base64. Deletes the user's files that were stored more than a day ago and never sent.
   *
   * The bytes may also arrive in pieces, e.g. as the body of a request. `bytes` is then the most that may
   * arrive; default: the size of the largest file. Room for that many is reserved. If less than 100 kB arrive
   * in a second, only the bytes that have arrived take room, and later ones wait for more.
   *
   * Rejects with `invalid_input`:
   *
   * - for a file that no message may have: too large, damaged, encrypted, or neither a picture (PNG, JPEG,
   *   GIF, WebP), a PDF nor UTF-8 text,
   * - if the files that the user has not sent yet would be more than 200, or have more than 200 MB.
   */
  put(
    userId: string,
    content: Uint8Array | Blob | string | AsyncIterable<Uint8Array>,
    options?: { bytes?: number; signal?: AbortSignal },
  ): Promise<UserFile>;
  /**
   * Returns the id and facts of one of the user's files without reading its bytes: the facts are stored
   * beside them. Rejects with `not_found`.
   */
  describe(userId: string, id: string): Promise<UserFile>;
  /** Returns one of the user's files with its bytes. Rejects with `not_found`. */
  get(userId: string, id: string): Promise<UserFile & { content: Uint8Array<ArrayBuffer> }>;
  /**
   * Returns one of the user's files like `get()`, for bytes that are sent to a client, which may be slow. The
   * bytes count as in use until `close()`, which must be called. Rejects with `not_found`.
   */
  open(userId: string, id: string, options?: { signal?: AbortSignal }): Promise<OpenFile>;
  /**
   * Deletes all files of a user. With `sessionId`, deletes only the files that no other session uses; call it
   * when you delete a session. Later requests have a note in place of a deleted file.
   */
  delete(userId: string, options?: { sessionId?: string }): Promise<void>;
  /**
   * Deletes the files of a user that were stored more than a day ago and never sent. Without `userId`, does
   * so for all users, which lists the whole file store. Call it once a day.
   */
  deleteUnsent(userId?: string): Promise<void>;
}

/** A file of a message or a result. `content` is absent if the file was uploaded before. */
export interface FileToKeep extends UserFile {
  content?: Uint8Array<ArrayBuffer>;
}

/**
 * The files of a runtime's users, with methods that only the runtime calls. `isOfRun` marks work of a run
 * that has begun, see `AskedWork`.
 */
export interface OwnUserFiles extends UserFiles {
  /**
   * Reads and inspects a file that came with a message, or with a result of a run. Stores nothing.
   *
   * @throws PawlError `invalid_input` as `put` does; `whose` names the file in the message.
   */
  inspect(
    userId: string,
    input: unknown,
    options?: { whose?: string; isOfRun?: boolean },
  ): Promise<UserFile & { content: Uint8Array<ArrayBuffer> }>;
  /**
   * Stores files for a message or result of a session. Until `release()`, deleting another session does not
   * delete them.
   *
   * @throws PawlError `invalid_input` if an uploaded file has been deleted since.
   */
  keep(
    userId: string,
    sessionId: string,
    files: readonly FileToKeep[],
    options?: { isOfRun?: boolean },
  ): Promise<void>;
  /** Records that a session, e.g. a copy, uses files that are stored already. */
  use(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Deletes these files of a session, unless another session of the user has them too. */
  release(userId: string, sessionId: string, ids: readonly string[]): Promise<void>;
  /** Returns the bytes of a file for a request to the model; `undefined` if it was deleted or is damaged. */
  read(
    userId: string,
    file: { id: string; bytes: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}
