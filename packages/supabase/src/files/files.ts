import { checkOptions, type FileStore, PawlError } from "@pawl/core";
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
  /** Name of the bucket. It must exist, and should be private. */
  bucket: string;
}

/** The maximum number of entries that one request lists. */
const PAGE = 1_000;
/**
 * A page with fewer entries than this is the last page. Servers may return fewer than {@link PAGE} before the
 * last page, but not fewer than this.
 */
const SMALLEST_PAGE = 100;

/**
 * Keeps files in a bucket of Supabase Storage. With a user's client, the bucket's policies decide what the
 * user may do. With a secret key no policy applies, so check access yourself.
 *
 * - `put` replaces an existing file. It needs policies for INSERT, SELECT and UPDATE.
 * - `list` reads folder by folder, in pages. If files are added or deleted in the meantime, it may miss or
 *   repeat some.
 * - Paths of lower-case ASCII are the keys in the bucket. Other paths are escaped to ASCII, because Storage
 *   refuses other keys and sorts without regard to case.
 *
 * @throws PawlError as in `FileStore`, and
 *
 * - `invalid_input` if the bucket's limits of size or type refuse a file
 * - `not_found` also for a file that the user may not read, as Storage reports it
 * - `store_unavailable` with `details.status` 403 if a policy refuses to write or delete a file
 *
 * @example
 * ```ts
 * import { supabaseFiles } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const client = createClient("http://localhost:54321", "sb_secret_…");
 * const files = supabaseFiles(client, { bucket: "agent-files" });
 * ```
 */
// await files.put(`${userId}/notes/oslo.md`, "It rains.");
export function supabaseFiles(client: StorageClient, options: SupabaseFilesOptions): FileStore {
  const is = (given: unknown) => typeof Object(Object(given).storage).from === "function";
  const mustBe = "a client of supabase-js, made by createClient()";
  checkOptions("supabaseFiles()", { client }, { client: { mustBe, is, required: true } });
  checkOptions<SupabaseFilesOptions>("supabaseFiles()", options, { bucket: "string!" });
  const { bucket } = options;
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

/**
 * Throws if the file still exists. If no policy allows a delete, Storage deletes nothing and reports no
 * error.
 */
async function checkGone(bucket: StorageBucket, key: string, path: string): Promise<void> {
  try {
    await ask(path, () => bucket.info(key));
  } catch (error) {
    if (PawlError.is(error, "not_found")) return;
    throw error;
  }
  throw new PawlError("store_unavailable", "The file was not deleted: no policy of the bucket allows it.", {
    details: { path, status: 403 },
  });
}

/** Collects the files below a folder. Storage lists one folder at a time, with files and subfolders. */
async function collect(bucket: StorageBucket, folder: string, found: Map<string, FileInfo>): Promise<void> {
  const folders = new Set<string>();
  for (let offset = 0; ; ) {
    const page = await ask(folder, () =>
      bucket.list(folder, { limit: PAGE, offset, sortBy: { column: "name", order: "asc" } }),
    );
    for (const entry of page) {
      const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // Folders of this store never contain a dot, and never end with `=`.
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
