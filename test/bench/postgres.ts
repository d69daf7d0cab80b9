/**
 * `npm run bench postgres`: compares the store with plain SQL over the same driver, in turns within one run.
 * Prints a table. `npm run bench postgres 12 8` sets the rounds and connections.
 */
import { randomUUID } from "node:crypto";
import type { EventStore } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";
import { type Database, migrate, postgresStore } from "@pawl/postgres";
import pg from "pg";
import postgres from "postgres";
import { postgresServer } from "../support/postgres-server.ts";

const ROUNDS = Number(process.argv[2] ?? 12);
const SLICE_MS = 500;
const CONNECTIONS = Number(process.argv[3] ?? 8);
const SESSIONS = 1_000;

/** The payload of an event: about 900 bytes, the usual size. */
const data = { text: '0123456789 äöü " \\ '.repeat(40), list: [1, 2, 3], nested: { a: null, b: true } };
const event: NewEvent = { type: "probe.bench", data };

interface Driver {
  name: string;
  db: Database;
  query(text: string, values: unknown[]): PromiseLike<unknown>;
}

const server = await postgresServer();
const pool = new pg.Pool({ connectionString: server.url(), max: CONNECTIONS });
pool.on("error", () => undefined);
const sql = postgres(server.url(), { max: CONNECTIONS, onnotice: () => undefined });
try {
  await migrate(pool);
  await pool.query(
    `CREATE TABLE bare (session_id text, sequence_number integer, event_type text, timestamp timestamptz DEFAULT now(),
       data json NOT NULL, PRIMARY KEY (session_id, sequence_number))`,
  );
  await pool.query(
    `INSERT INTO agent_sessions (id, user_id, agent) SELECT 's' || n, 'u', 'a' FROM generate_series(1, ${SESSIONS}) n`,
  );
  const drivers: Driver[] = [
    { name: "pg", db: pool, query: (text, values) => pool.query(text, values) },
    {
      name: "postgres",
      db: sql,
      query: (text, values) => sql.unsafe(text, values as never[], { prepare: true }),
    },
  ];
  console.log("| driver | what | plain SQL | Pawl | ratio | wanted |\n| --- | --- | --- | --- | --- | --- |");
  for (const driver of drivers) await appends(driver);
  for (const driver of drivers) await loads(driver);
} finally {
  await Promise.all([pool.end(), sql.end()]);
  await server.remove();
}

/** Measures events per second: single-row INSERTs, appends of one event, and appends of ten, in turns. */
async function appends({ name, db, query }: Driver): Promise<void> {
  const store = postgresStore(db);
  let number = 0;
  const insert = async (sessionId: string) => {
    number += 1;
    const text =
      "INSERT INTO bare (session_id, sequence_number, event_type, data) VALUES ($1, $2, $3, $4::text::json)";
    await query(text, [sessionId, number, event.type, JSON.stringify(data)]);
    return 1;
  };
  const append = (size: number) => async (sessionId: string) => {
    const events = Array.from({ length: size }, () => event);
    return (await store.append(sessionId, events, { appendId: randomUUID() })).length;
  };
  const rates = await inTurns({ bare: insert, one: append(1), ten: append(10) }, perSecond);
  await query("TRUNCATE bare", []);
  for (const [way, wanted] of [
    ["one", 0.55],
    ["ten", 2],
  ] as const)
    row(name, `events/s, appends of ${way}`, rates.bare, rates[way], `>= ${wanted}`);
}

/** Measures the milliseconds to load a session of 1,000 events. */
async function loads({ name, db, query }: Driver): Promise<void> {
  const store = postgresStore(db);
  const id = `long ${name}`;
  await store.sessions.create({ id, userId: "u", agent: "a" });
  for (let n = 0; n < 10; n += 1)
    await store.append(
      id,
      Array.from({ length: 100 }, () => event),
      { appendId: randomUUID() },
    );
  const bare = "SELECT * FROM agent_session_events WHERE session_id = $1 ORDER BY sequence_number";
  const ways = { bare: async () => await query(bare, [id]), read: () => all(store, id) };
  const times = await inTurns(ways, async (work) => {
    const began = performance.now();
    for (let n = 0; n < 10; n += 1) await work("");
    return (performance.now() - began) / 10;
  });
  row(name, "ms to load 1,000 events", times.bare, times.read, "<= 1.5");
}

async function all(store: EventStore, id: string): Promise<number> {
  let count = 0;
  for await (const read of store.read(id)) count += read.seq > 0 ? 1 : 0;
  if (count !== 1_000) throw new Error(`${count} events`);
  return count;
}

type Work = (sessionId: string) => Promise<unknown>;

/**
 * Measures each way of working in turns, so that changes of the machine's load affect all alike. Returns the
 * median per way.
 */
async function inTurns<Way extends string>(
  ways: Record<Way, Work>,
  measure: (work: Work) => Promise<number>,
): Promise<Record<Way, number>> {
  const names = Object.keys(ways) as Way[];
  const found = new Map<Way, number[]>(names.map((name) => [name, []]));
  for (const name of names) await measure(ways[name]);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) found.get(name)?.push(await measure(ways[name]));
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return Object.fromEntries(names.map((name) => [name, median(found.get(name) ?? [])])) as Record<
    Way,
    number
  >;
}

async function perSecond(work: Work): Promise<number> {
  const began = performance.now();
  let done = 0;
  const worker = async (_: unknown, at: number) => {
    for (let n = 0; performance.now() - began < SLICE_MS; n += 1)
      done += Number(await work(`s${1 + ((at * 61 + n) % SESSIONS)}`));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return (done * 1_000) / (performance.now() - began);
}

function row(driver: string, what: string, bare: number, ours: number, wanted: string): void {
  const figure = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value));
  console.log(
    `| ${[driver, what, figure(bare), figure(ours), (ours / bare).toFixed(2), wanted].join(" | ")} |`,
  );
}
