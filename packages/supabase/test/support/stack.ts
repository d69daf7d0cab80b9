import { migrate } from "@pawl/postgres";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { TestDatabase } from "../../../../test/support/database-on.ts";
import { type Gateway, gateway } from "./gateway.ts";
import { type Keys, makeKeys } from "./keys.ts";
import { postgrest, postgrestBinary } from "./postgrest.ts";
import { authenticator, supabaseRoles } from "./roles.ts";

const secretKey = "sb_secret_test_0123456789";
const publishableKey = "sb_publishable_test_0123456789";

/**
 * A Supabase project as far as it runs on a bare machine: a real Postgres with Supabase's roles and nothing granted by
 * default, the real PostgREST, and a gateway before it, so that supabase-js works as it is. No GoTrue, no Realtime, no
 * Storage.
 */
export interface Stack {
  /** What `createClient` is given. */
  readonly url: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly database: TestDatabase;
  readonly gateway: Gateway;
  readonly keys: Keys;
  /** A client with the service's key. */
  service(): SupabaseClient;
  /** A client with a user's token; `undefined` is nobody. */
  user(token: string | undefined): SupabaseClient;
  stop(): Promise<void>;
}

/** Why there can be no stack here, in words; `undefined` where there can be one. */
export const noStack: string | undefined =
  postgrestBinary() === undefined
    ? `npm has no PostgREST for ${process.platform} on ${process.arch}: nothing is tested over it`
    : undefined;
if (noStack !== undefined) console.warn(noStack);

/**
 * Starts one, with the schema in it unless `prepare` does something else. `make` makes its database; by default, it is on
 * the server that all tests share.
 */
export async function stack(
  prepare: (database: TestDatabase) => Promise<unknown> = (database) => migrate(database.pool()),
  make: () => Promise<TestDatabase> = sharedDatabase,
): Promise<Stack> {
  const database = await make();
  const ends: (() => Promise<void>)[] = [() => database.drop()];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    await supabaseRoles(database, "nothing");
    await prepare(database);
    let url = "";
    const keys = await makeKeys(() => `${url}/auth/v1`);
    const roles = {
      [secretKey]: await keys.roleToken("service_role"),
      [publishableKey]: await keys.roleToken("anon"),
    };
    const rest = await postgrest(settingsOf(database, keys));
    ends.push(() => rest.stop());
    const front = await gateway({ rest: () => rest.url, jwks: keys.jwks, keys: roles });
    ends.push(() => front.close());
    url = front.url;
    const auth = { persistSession: false, autoRefreshToken: false };
    return {
      url,
      secretKey,
      publishableKey,
      database,
      gateway: front,
      keys,
      service: () => createClient(url, secretKey, { auth }),
      user: (token) =>
        token === undefined
          ? createClient(url, publishableKey, { auth })
          : createClient(url, publishableKey, { auth, accessToken: async () => token }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

// Loaded here only: vitest cannot be imported outside of its tests, and benchmarks start a stack, too.
async function sharedDatabase(): Promise<TestDatabase> {
  const { testDatabase } = await import("../../../../test/support/postgres.ts");
  return await testDatabase();
}

function settingsOf(database: TestDatabase, keys: Keys): Record<string, string> {
  const uri = new URL(database.url);
  uri.username = authenticator.name;
  uri.password = authenticator.password;
  return {
    PGRST_DB_URI: uri.href,
    PGRST_DB_SCHEMAS: "public",
    PGRST_DB_ANON_ROLE: "anon",
    PGRST_DB_MAX_ROWS: "1000",
    PGRST_DB_POOL: "10",
    PGRST_JWT_SECRET: JSON.stringify(keys.all),
    PGRST_LOG_LEVEL: "error",
  };
}
