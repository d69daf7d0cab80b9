export { answer, type OwnAnswer } from "./answer.ts";
export type { RpcAnswer, RpcClient } from "./rpc.ts";
export { type OwnMessage, type Sent, sendMessage } from "./send-message.ts";
export { supabaseBlobs } from "./supabase-blobs.ts";
export { supabaseStore } from "./supabase-store.ts";
