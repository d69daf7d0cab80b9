export { type SupabaseAuthOptions, type SupabaseUser, supabaseAuth } from "./auth/authenticate.ts";
export type { SupabaseClaims } from "./auth/claims.ts";
export type { AuthClient, TokenAlgorithm } from "./auth/verify-token.ts";
export { type SupabaseFilesOptions, supabaseFiles } from "./files/files.ts";
export type {
  ListedEntry,
  ListPage,
  StorageAnswer,
  StorageBucket,
  StorageClient,
} from "./files/storage-client.ts";
export type { RpcAnswer, RpcClient } from "./rpc/rpc.ts";
export { supabaseBlobs } from "./store/supabase-blobs.ts";
export { supabaseStore } from "./store/supabase-store.ts";
export { answer, type OwnAnswer } from "./user/answer.ts";
export { type OwnMessage, type Sent, sendMessage } from "./user/send-message.ts";
