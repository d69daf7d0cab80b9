import { type BlobStore, checkNames, checkText, isName, noSession } from "@pawl/core/store";
import { checkRpcClient } from "../rpc/check-client.ts";
import { call, type RpcClient } from "../rpc/rpc.ts";

/**
 * Keeps large payloads in the table `agent_session_blobs`, in the same project as {@link supabaseStore}. Use
 * a client with the service's secret key: with any other key, `put` rejects with `forbidden`. `put` rejects
 * with `not_found` if there is no such session. With a user's token, `get` finds only blobs of the user's own
 * sessions.
 *
 * @example
 * ```ts
 * import { runtime } from "@pawl/core";
 * import { supabaseBlobs, supabaseStore } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const options = { auth: { persistSession: false, autoRefreshToken: false } };
 * const client = createClient("http://127.0.0.1:54321", "sb_secret_of_the_service", options);
 * runtime({ agents: [], store: supabaseStore(client), blobs: supabaseBlobs(client) });
 * ```
 */
export function supabaseBlobs(client: RpcClient): BlobStore {
  checkRpcClient("supabaseBlobs()", client);
  return {
    async put(sessionId, id, text) {
      if (!isName(sessionId)) throw noSession(sessionId);
      checkNames(id);
      checkText(text);
      const args = { p_session_id: sessionId, p_id: id, p_data: text };
      const { known } = await call(client, "pawl_rpc_put_blob", args);
      if (known !== true) throw noSession(sessionId);
    },
    async get(sessionId, id) {
      if (!isName(sessionId) || !isName(id)) return undefined;
      const { data } = await call(client, "pawl_rpc_get_blob", { p_session_id: sessionId, p_id: id });
      return typeof data === "string" ? data : undefined;
    },
  };
}
