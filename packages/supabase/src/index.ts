export { type SupabaseFilesOptions, supabaseFiles } from "./files.ts";
export type { ListedEntry, ListPage, StorageAnswer, StorageBucket, StorageClient } from "./storage-client.ts";
