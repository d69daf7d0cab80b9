export { type SupabaseAuthOptions, type SupabaseUser, supabaseAuth } from "./authenticate.ts";
export type { SupabaseClaims } from "./claims.ts";
export { type SupabaseFilesOptions, supabaseFiles } from "./files.ts";
export type { ListedEntry, ListPage, StorageAnswer, StorageBucket, StorageClient } from "./storage-client.ts";
export type { AuthClient } from "./verify-token.ts";
