/**
 * Keeps payloads that are too large for the log, e.g. in a bucket or a directory. {@link withBlobs} makes a
 * store use it.
 *
 * A blob is JSON text. Its id is the SHA-256 of that text, 64 hexadecimal digits, so storing a blob again
 * changes nothing. Blobs belong to their session: the same text in two sessions is two blobs, and deleting
 * the blobs of one session does not affect the other. Pawl never deletes blobs; see {@link withBlobs} for
 * when you may delete them.
 *
 * Any error other than a {@link PawlError} reaches the caller as `store_unavailable`.
 */
export interface BlobStore {
  /** Stores a blob. Resolves once the text is as durable as the log. */
  put(sessionId: string, id: string, text: string): Promise<void>;
  /**
   * Returns the text of a blob; `undefined` if the blob does not exist. Pawl compares the text's hash with
   * the id, so the blob store need not.
   */
  get(sessionId: string, id: string): Promise<string | undefined>;
}

/**
 * Keeps blobs in memory, beside a `memoryStore()`.
 *
 * @example
 * ```ts
 * import { memoryBlobs, memoryStore, runtime } from "@pawl/core";
 *
 * runtime({ agents: [], store: memoryStore(), blobs: memoryBlobs() });
 * ```
 */
export function memoryBlobs(): BlobStore {
  const sessions = new Map<string, Map<string, string>>();
  return {
    async put(sessionId, id, text) {
      const blobs = sessions.get(sessionId) ?? new Map<string, string>();
      sessions.set(sessionId, blobs.set(id, text));
    },
    get: async (sessionId, id) => sessions.get(sessionId)?.get(id),
  };
}
