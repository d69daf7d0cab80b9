import type { FileStore } from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { supabaseFiles } from "@pawl/supabase";
import { createClient } from "@supabase/supabase-js";

/**
 * The place of the users' files: a directory, or a private bucket of Supabase Storage. The bucket's secret
 * key must stay on the server.
 */
export type FilesAt = { directory: string } | { url: string; secretKey: string; bucket: string };

/**
 * Opens the store of the users' files.
 *
 * @example
 * ```ts
 * import { openFiles } from "@pawl/example-coach";
 *
 * const files = openFiles({ url: "http://localhost:54321", secretKey: "sb_secret_…", bucket: "coach" });
 * console.log(typeof files.put); // function
 * ```
 */
export function openFiles(at: FilesAt): FileStore {
  if ("directory" in at) return diskFiles(at.directory);
  const auth = { persistSession: false, autoRefreshToken: false };
  return supabaseFiles(createClient(at.url, at.secretKey, { auth }), { bucket: at.bucket });
}
