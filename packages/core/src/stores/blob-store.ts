/**
 * Where payloads are kept that are too large for the log: in a table, a bucket, a directory. What is put
 * there and when is decided by {@link withBlobs}.
 *
 * A blob is JSON text and its id is the SHA-256 of that text, 64 hexadecimal digits, so an id never stands
 * for anything else and may be put again and again. Blobs belong to their session: the same text in two
 * sessions is two blobs, and deleting those of one does not hurt the other. Nobody deletes them but you, see
 * {@link withBlobs}.
 *
 * Whatever a method rejects with becomes `store_unavailable`, unless it is a {@link PawlError}.
 */
export interface BlobStore {
  /** Resolves when the text is kept as safely as the log is. */
  put(sessionId: string, id: string, text: string): Promise<void>;
  /** The text, or `undefined` if there is none. It need not be checked here. */
  get(sessionId: string, id: string): Promise<string | undefined>;
}

/**
 * Blobs in memory, beside a `memoryStore()`.
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
