import { type EventStore, memoryStore } from "@pawl/core";
import { type Database, migrate, postgresStore, type Queryable } from "@pawl/postgres";
import { supabaseStore } from "@pawl/supabase";
import { stack } from "../../packages/supabase/test/support/stack.ts";
import { countedTrips, type Trips } from "./counted-trips.ts";
import type { TestDatabase } from "./database-on.ts";
import { newPglite } from "./new-pglite.ts";

/** A store whose trips are counted, and a table for a loop that keeps its messages itself. */
export interface CountedStore {
  name: string;
  store: EventStore;
  trips: Trips;
  /** Undefined for the store in memory. */
  bare: BareTable | undefined;
  close(): Promise<void>;
}

/** Keeps the messages of sessions in a table, with one statement each. */
export interface BareTable {
  all(sessionId: string): Promise<unknown>;
  add(sessionId: string, message: unknown): Promise<unknown>;
}

/** Makes every store, over real servers. `make` creates a database on a Postgres server. */
export const countedStores: Readonly<
  Record<string, (make: () => Promise<TestDatabase>) => Promise<CountedStore>>
> = {
  memory: async () => {
    const trips = countedTrips();
    const store = trips.store(memoryStore());
    return { name: "memory", store, trips, bare: undefined, close: async () => undefined };
  },
  PGlite: async () => {
    const db = await newPglite();
    const trips = countedTrips();
    return await overSql("PGlite", db, trips.query(db), trips, () => db.close());
  },
  pg: async (make) => {
    const database = await make();
    const pool = database.pool();
    const trips = countedTrips();
    return await overSql("Postgres, pg", pool, trips.query(pool), trips, database.drop);
  },
  "postgres.js": async (make) => {
    const database = await make();
    const sql = database.sql();
    const trips = countedTrips();
    return await overSql(
      "Postgres, postgres.js",
      database.pool(),
      trips.postgresJs(sql),
      trips,
      database.drop,
    );
  },
  Supabase: async (make) => {
    const { service, stop } = await stack(async (database) => {
      await migrate(database.pool());
      await database.pool().query(BARE_FUNCTIONS);
    }, make);
    const trips = countedTrips();
    const client = trips.rpc(service());
    const call = (name: string, args: unknown) => client.rpc(name as never, args as never);
    const bare: BareTable = {
      all: async (id) => await call("bare_all", { p_id: id }),
      add: async (id, message) => await call("bare_add", { p_id: id, p_message: JSON.stringify(message) }),
    };
    return { name: "Supabase", store: supabaseStore(client), trips, bare, close: stop };
  },
};

async function overSql(
  name: string,
  db: Queryable,
  counted: Database,
  trips: Trips,
  close: () => Promise<unknown>,
): Promise<CountedStore> {
  await migrate(db);
  await db.query(BARE_TABLE);
  const ask = async (text: string, values: unknown[]) =>
    "query" in counted
      ? await counted.query(text, values)
      : await counted.unsafe(text, values as never[], { prepare: true });
  const bare: BareTable = {
    all: (id) => ask("SELECT message FROM bare_messages WHERE session_id = $1 ORDER BY n", [id]),
    add: (id, message) =>
      ask("INSERT INTO bare_messages (session_id, message) VALUES ($1, $2::text::json)", [
        id,
        JSON.stringify(message),
      ]),
  };
  const end = async () => void (await close());
  return { name, store: postgresStore(counted), trips, bare, close: end };
}

const BARE_TABLE = `CREATE TABLE bare_messages (
  n bigint GENERATED ALWAYS AS IDENTITY, session_id text, message json, PRIMARY KEY (session_id, n))`;

const BARE_FUNCTIONS = `${BARE_TABLE};
GRANT SELECT, INSERT ON bare_messages TO service_role;
CREATE FUNCTION bare_all(p_id text) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(message ORDER BY n), '[]') FROM bare_messages WHERE session_id = p_id $$;
CREATE FUNCTION bare_add(p_id text, p_message text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO bare_messages (session_id, message) VALUES (p_id, p_message::json) $$;
GRANT EXECUTE ON FUNCTION bare_all(text), bare_add(text, text) TO service_role`;
