import type { EventStore } from "@pawl/core";
import type { RpcClient } from "../rpc/rpc.ts";
import { append } from "./append.ts";
import { acquire, release, renew } from "./leases.ts";
import { read } from "./read.ts";
import { listRecoverable, sessions } from "./sessions.ts";

/**
 * The log in a Supabase project, over a client of yours. Every method is one call of a function in the
 * database, so one request; the schema must be there, see this package's `migrations`.
 *
 * The client decides what may be done. One with the service's secret key does everything: that is the store
 * of a runtime. One with a user's token reads that user's own sessions, as row-level security says, and for
 * everything else rejects with `forbidden`; users write through {@link sendMessage} and {@link answer}.
 *
 * An append that got no answer may have been stored all the same; repeated under its append id it is not
 * stored twice, and a runtime repeats it. Metadata is kept as `jsonb`: NUL and half surrogate pairs in it
 * become U+FFFD. Payloads of events are kept as sent.
 *
 * @throws PawlError as every {@link EventStore}; `forbidden` for a key or a token that is refused, `config`
 *   for one that no header can carry. Messages and causes say neither.
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
