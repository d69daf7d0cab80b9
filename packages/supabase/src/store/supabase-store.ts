import type { EventStore } from "@pawl/core";
import type { RpcClient } from "../rpc/rpc.ts";
import { append } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

/**
 * Keeps the log in a Supabase project, over your own client. Every method calls one function in the database,
 * in one request. Apply this package's `migrations` first.
 *
 * The client's key decides what is allowed. With the service's secret key, everything is: use that for a
 * runtime. With a user's token, row-level security allows reading that user's own sessions; everything else
 * rejects with `forbidden`. Users write through {@link sendMessage} and {@link answer}.
 *
 * An append that got no answer may have been stored. A runtime repeats it under its append id, so that it is
 * stored once. Metadata is kept as `jsonb`: NUL and half surrogate pairs in it become U+FFFD. Payloads of
 * events are kept as sent.
 *
 * @throws PawlError as every {@link EventStore}; `forbidden` for a key or a token that is refused, `config`
 * for one that is not a valid header value. Messages and causes never contain it.
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
  return {
    append: (sessionId, events, options) => append(client, sessionId, events, options),
    read: (sessionId, options) => read(client, sessionId, options),
    acquire: (sessionId, holder, ttlMs) => acquire(client, sessionId, holder, ttlMs),
    renew: (lease, ttlMs) => renew(client, lease, ttlMs),
    release: (lease) => release(client, lease),
    listRecoverable: (options) => listRecoverable(client, options),
    sessions: sessions(client),
  };
}
