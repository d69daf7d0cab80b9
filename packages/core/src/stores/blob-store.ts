/**
 * Keeps payloads that are too large for the log: in a table, a bucket or a directory. {@link withBlobs}
 * decides what is put there and when.
 *
 * A blob is JSON text. Its id is the SHA-256 of that text, 64 hexadecimal digits, so an id always stands for
 * the same text and may be put repeatedly. Blobs belong to their session: the same text in two sessions is
 * two blobs, and deleting those of one session does not affect the other. Pawl never deletes blobs; see
 * {@link withBlobs} for when you may.
 *
 * If a method rejects with anything but a {@link PawlError}, it becomes `store_unavailable`.
 */
export interface BlobStore {
  /** Stores the text. Resolves once it is stored as safely as the log is. */
  put(sessionId: string, id: string, text: string): Promise<void>;
  /** Returns the text, or `undefined` if it does not exist. The caller verifies its hash. */
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
      const texts = sessions.get(sessionId) ?? new Map<string, string>();
      sessions.set(sessionId, texts.set(id, text));
    },
    get: async (sessionId, id) => sessions.get(sessionId)?.get(id),
  };
}
