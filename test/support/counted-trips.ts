import type { EventStore, StoredEvent } from "@pawl/core";
import type { PostgresJs, Queryable } from "@pawl/postgres";
import type { RpcClient } from "@pawl/supabase";
import { pause } from "./pause.ts";

/** One trip to a store: a statement, a request to PostgREST, or a call of a store in memory. */
export interface Trip {
  /** What it does, e.g. `append`. */
  kind: string;
  /** The size of the parameters as JSON. */
  sent: number;
  /** The size of the rows as JSON. */
  received: number;
}

/** Counts trips to a store, and delays each by `delayMs` if that is set. */
export interface Trips {
  readonly list: Trip[];
  delayMs: number;
  query(db: Queryable): Queryable;
  postgresJs(sql: PostgresJs): PostgresJs;
  rpc(client: RpcClient): RpcClient;
  store(store: EventStore): EventStore;
}

/** Wraps databases and stores so that their trips are counted. */
export function countedTrips(): Trips {
  const trips: Pick<Trips, "list" | "delayMs"> = { list: [], delayMs: 0 };
  const trip = async <T>(
    kind: string,
    sent: unknown,
    work: () => T | Promise<T>,
    rows: (done: T) => unknown,
  ) => {
    const one = { kind, sent: size(sent), received: 0 };
    trips.list.push(one);
    if (trips.delayMs > 0) await pause(trips.delayMs, "the time that a network takes");
    const done = await work();
    one.received = size(rows(done));
    return done;
  };
  return Object.assign(trips, {
    query: (db: Queryable): Queryable => ({
      query: (text, values = []) =>
        trip(
          kindOf(text),
          values,
          () => db.query(text, values),
          (done) => done.rows,
        ),
    }),
    postgresJs: (sql: PostgresJs): PostgresJs => ({
      unsafe: (text, values, options) =>
        trip(
          kindOf(text),
          values,
          async () => await sql.unsafe(text, values, options),
          (rows) => rows,
        ),
    }),
    rpc: (client: RpcClient): RpcClient => ({
      rpc: (name, args) =>
        trip(
          kindOfRpc(name),
          args,
          async () => await client.rpc(name, args),
          ({ data }) => data,
        ),
    }),
    store: (store: EventStore) => countedStore(store, trip),
  });
}

type TripOf = <T>(
  kind: string,
  sent: unknown,
  work: () => T | Promise<T>,
  rows: (done: T) => unknown,
) => Promise<T>;

function countedStore(store: EventStore, trip: TripOf): EventStore {
  const same = (done: unknown) => done;
  const counted =
    <Args extends unknown[], T>(kind: string, work: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      trip(kind, args, () => work(...args), same);
  const { sessions } = store;
  return {
    ...store,
    append: counted("append", store.append),
    acquire: counted("acquire", store.acquire),
    ...(store.open && { open: counted("open", store.open) }),
    ...(store.saveSnapshot && { saveSnapshot: counted("snapshot", store.saveSnapshot) }),
    renew: counted("renew", store.renew),
    release: counted("release", store.release),
    listRecoverable: counted("recoverable", store.listRecoverable),
    read: async function* (...args) {
      yield* await trip(
        "read",
        args,
        () => Array.fromAsync(store.read(...args)),
        same as () => StoredEvent[],
      );
    },
    sessions: {
      create: counted("create", sessions.create),
      get: counted("session", sessions.get),
      list: counted("sessions", sessions.list),
    },
  };
}

function size(value: unknown): number {
  const text = JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? String(one) : one));
  return Buffer.byteLength(text ?? "");
}

/** What the statements of `postgresStore()` do, by a part of their text. The first one that fits counts. */
const STATEMENTS: readonly (readonly [RegExp, string])[] = [
  [/pawl_store_event/, "append"],
  [/pawl_open/, "open"],
  [/pawl_save_snapshot/, "snapshot"],
  [/INSERT INTO agent_sessions/, "create"],
  [/SET lease_holder = \$2/, "acquire"],
  [/SET lease_expires_at/, "renew"],
  [/SET lease_holder = NULL/, "release"],
  [/first\.append_id|e\.event_key = k\.key|lease_epoch FROM/, "explain"],
  [/FROM agent_session_events/, "read"],
  [/WHERE s\.user_id/, "sessions"],
  [/FROM agent_sessions s WHERE s\.id/, "session"],
];

function kindOf(text: string): string {
  return STATEMENTS.find(([part]) => part.test(text))?.[1] ?? text.trim().slice(0, 40);
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  events: "read",
  create_session: "create",
  open_session: "open",
  save_snapshot: "snapshot",
};

function kindOfRpc(name: string): string {
  const own = name.replace(/^pawl_rpc_/, "");
  return FUNCTIONS[own] ?? own;
}
