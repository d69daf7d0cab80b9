import { type FileStore, PawlError } from "@pawl/core";
import {
  bytesOf,
  contentTypeOf,
  type FileInfo,
  pathOfStored,
  storedFolder,
  storedPath,
} from "@pawl/core/store";
import { ask, type ListedEntry, type StorageBucket, type StorageClient } from "./storage-client.ts";

/** Options of `supabaseFiles()`. */
export interface SupabaseFilesOptions {
  /** A private bucket, which exists. */
  bucket: string;
}

/** How many entries of a folder are asked for at once. */
const PAGE = 1_000;
/** Servers may give fewer, but none gives fewer than this while there are more. */
const SMALLEST_PAGE = 100;

/**
 * Files in a bucket of Supabase Storage. With a user's client its policies decide what that user may do, with
 * one that has a secret key whoever calls does. Keys are those of `storedPath()`: plain for lower-case paths
 * and ASCII for all others, because Storage refuses other keys and lists without regard to case.
 *
 * Uploads replace (`upsert`, which needs policies for INSERT, SELECT and UPDATE) and are not to be cached. A
 * list asks folder by folder, in pages; files that are added or deleted meanwhile may be in it or not, and
 * may push others over the edge of a page.
 *
 * @throws PawlError as `FileStore` says: `invalid_input` also for what the bucket's limits of size and type
 * refuse, `store_unavailable` also for what its policies refuse, `details.status` 403. A file that may not be
 * read is `not_found`, because Storage says so. A delete that its policies have silently ignored is
 * `store_unavailable`.
 *
 * @example
 * ```ts
 * import { supabaseFiles } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const client = createClient("http://localhost:54321", "sb_secret_…");
 * const files = supabaseFiles(client, { bucket: "agent-files" });
 * // await files.put(`${userId}/notes/oslo.md`, "It rains.");
 * ```
 */
export function supabaseFiles(client: StorageClient, { bucket }: SupabaseFilesOptions): FileStore {
  const from = (): StorageBucket => client.storage.from(bucket);
  return {
    async put(path, content) {
      const key = storedPath(path);
      const options = { contentType: contentTypeOf(path), cacheControl: "0", upsert: true };
      const bytes = bytesOf(content);
      await ask(path, () => from().upload(key, bytes, options));
    },
    async get(given) {
      const key = storedPath(given);
      const path = given.normalize("NFC");
      const fresh = { cacheNonce: crypto.randomUUID() };
      const blob = await ask(path, () => from().download(key, fresh, { cache: "no-store" }));
      return { path, contentType: contentTypeOf(path), content: new Uint8Array(await blob.arrayBuffer()) };
    },
    async list(folder = "") {
      const found = new Map<string, FileInfo>();
      await collect(from(), storedFolder(folder), found);
      return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async delete(path) {
      const key = storedPath(path);
      const removed = await ask(path, () => from().remove([key]));
      if (removed.length === 0) await checkGone(from(), key, path);
    },
  };
}

/** Nothing was removed: there was nothing, or no policy allowed it, which Storage does not say. */
async function checkGone(bucket: StorageBucket, key: string, path: string): Promise<void> {
  try {
    await ask(path, () => bucket.info(key));
  } catch (error) {
    if (PawlError.is(error, "not_found")) return;
    throw error;
  }
  throw new PawlError("store_unavailable", "The file is still there: no policy allows to delete it.", {
    details: { path, status: 403 },
  });
}

/** The store's files below a folder. Storage lists one folder at a time, its folders among its files. */
async function collect(bucket: StorageBucket, folder: string, found: Map<string, FileInfo>): Promise<void> {
  const folders = new Set<string>();
  for (let offset = 0; ; ) {
    const page = await ask(folder, () =>
      bucket.list(folder, { limit: PAGE, offset, sortBy: { column: "name", order: "asc" } }),
    );
    for (const entry of page) {
      const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // No folder of the store has a dot or a `=` at its end.
      if (entry.id === null && !/\.|=$/.test(entry.name)) folders.add(key);
      const info = entry.id === null ? undefined : infoOf(key, entry);
      if (info !== undefined) found.set(info.path, info);
    }
    offset += page.length;
    if (page.length < SMALLEST_PAGE) break;
  }
  for (const key of folders) await collect(bucket, key, found);
}

function infoOf(key: string, { metadata, updated_at, created_at }: ListedEntry): FileInfo | undefined {
  const path = pathOfStored(key);
  if (path === undefined) return undefined;
  const size = Number(metadata?.size ?? 0);
  const modifiedAt = new Date(updated_at ?? created_at ?? 0).toISOString();
  return { path, contentType: contentTypeOf(path), size, modifiedAt };
}
