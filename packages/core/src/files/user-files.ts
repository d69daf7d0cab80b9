import type { FileFacts } from "./inspect-file.ts";

/** A user's file: what it contains, and its id. */
export interface UserFile extends FileFacts {
  /** The SHA-256 of the file's bytes in hexadecimal. It is valid for this user only. */
  id: string;
}

/** A user's file with its bytes, which count against `workLimits` of `runtime()` until it is closed. */
export interface OpenFile extends UserFile {
  content: Uint8Array<ArrayBuffer>;
  /** Says that the bytes are not needed any more, e.g. because a client has them. */
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
   * Stores a file, and returns what it contains. Storing the same bytes again changes nothing. A string is
   * base64. The bytes may also come in pieces, e.g. as the body of a request; `bytes` says how many at most,
   * so that less room is reserved than for the largest file. If less than 100 kB arrive in a second, only
   * what has arrived takes room, and what comes later waits for more. Rejects with `invalid_input` for a
   * file that no message may have: too large, damaged, encrypted, or neither a picture (PNG, JPEG, GIF,
   * WebP), a PDF nor UTF-8 text. Also rejects with `invalid_input` if the files that the user has not sent
   * yet would be more than 200, or have more than 200 MB. Deletes the user's files that were stored more
   * than a day ago and never sent.
   */
  put(
    userId: string,
    content: Uint8Array | Blob | string | AsyncIterable<Uint8Array>,
    options?: { bytes?: number; signal?: AbortSignal },
  ): Promise<UserFile>;
  /**
   * Returns what one of the user's files contains, as it was stored beside the file: the bytes are not read.
   * Rejects with `not_found`.
   */
  describe(userId: string, id: string): Promise<UserFile>;
  /** Returns one of the user's files with its bytes. Rejects with `not_found`. */
  get(userId: string, id: string): Promise<UserFile & { content: Uint8Array<ArrayBuffer> }>;
  /**
   * Returns one of the user's files like `get()`. Its bytes count as in use until `close()`, which must be
   * called: use it if you send them to a client, which may take its time. Rejects with `not_found`.
   */
  open(userId: string, id: string, options?: { signal?: AbortSignal }): Promise<OpenFile>;
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

/** A file of a message or a result. Without `content`, it was uploaded before. */
export interface FileToKeep extends UserFile {
  content?: Uint8Array<ArrayBuffer>;
}

/** The user files of a runtime, with what only the runtime calls. */
export interface OwnUserFiles extends UserFiles {
  /**
   * Reads and inspects a file that came with a message, or with a result of a run. Stores nothing.
   *
   * @throws PawlError `invalid_input` as `put` does; `whose` names the file in the message.
   */
  inspect(
    userId: string,
    given: unknown,
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
  /** Notes that a session, e.g. a copy, uses files that are stored already. */
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
