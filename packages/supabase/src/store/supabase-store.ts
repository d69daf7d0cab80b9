import type { EventStore } from "@pawl/core";
import { checkRpcClient } from "../rpc/check-client.ts";
import type { RpcClient } from "../rpc/rpc.ts";
import { append } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { open, saveSnapshot } from "./open.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

/**
 * Keeps the log in a Supabase project, over your own supabase-js client. First apply the migrations, which
 * `npx pawl-supabase migrations supabase/migrations` writes. Every method is one call of a database function.
 *
 * - For a runtime, use a client with the service's secret key. It allows everything.
 * - With a user's token, only the user's own sessions can be read, and everything else rejects with
 *   `forbidden`. Users write with {@link sendMessage} and {@link answer}.
 *
 * If an append gets no response, it may have been stored. A runtime repeats it under the same append id, so
 * it is stored once. Payloads of events are kept exactly as sent. In metadata, which is kept as `jsonb`, NUL
 * and half surrogate pairs become U+FFFD.
 *
 * @throws PawlError as every {@link EventStore}. Also `forbidden` if the key or token is refused, and
 * `config` if it is not a valid header value. Messages and causes never contain a key or token.
 *
 * @example
 * ```ts
 * import { runtime } from "@pawl/core";
 * import { supabaseStore } from "@pawl/supabase";
 * import { createClient } from "@supabase/supabase-js";
 *
 * const options = { auth: { persistSession: false, autoRefreshToken: false } };
 * const client = createClient("http://127.0.0.1:54321", "sb_secret_of_the_service", options);
 * runtime({ agents: [], store: supabaseStore(client) });
 * ```
 */
export function supabaseStore(client: RpcClient): EventStore {
  checkRpcClient("supabaseStore()", client);
  return {
    append: (sessionId, events, options) => append(client, sessionId, events, options),
    read: (sessionId, options) => read(client, sessionId, options),
    open: (wanted) => open(client, wanted),
    saveSnapshot: (sessionId, snapshot) => saveSnapshot(client, sessionId, snapshot),
    acquire: (sessionId, holder, ttlMs) => acquire(client, sessionId, holder, ttlMs),
    renew: (lease, ttlMs) => renew(client, lease, ttlMs),
    release: (lease) => release(client, lease),
    listRecoverable: (options) => listRecoverable(client, options),
    sessions: sessions(client),
  };
}
