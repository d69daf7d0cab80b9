/**
 * Run as a process of its own: `holder.ts <url> pg|postgres <account> <requests> <limit> <ttlMs>`. Says `ready`; at the first
 * line on stdin it makes its requests at once, for 1 each, and says which were granted, in a line of JSON. It renews those
 * until the next line; then it finalizes them, each with 1, and ends.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { postgresReservations } from "@pawl/postgres";
import pg from "pg";
import postgres from "postgres";

const [url = "", driver = "", account = "", requests = "", limit = "", ttl = ""] = process.argv.slice(2);
const sql = driver === "postgres" ? postgres(url, { max: 8, onnotice: () => undefined }) : undefined;
const pool = sql === undefined ? new pg.Pool({ connectionString: url, max: 8 }) : undefined;
const reservations = postgresReservations(sql ?? (pool as pg.Pool));
const ttlMs = Number(ttl);
const lines = createInterface({ input: process.stdin });

await reservations.balance(account);
console.log("ready");
await once(lines, "line");
const ids = Array.from({ length: Number(requests) }, () => crypto.randomUUID());
const mine: string[] = [];
/** Until the last request is answered, which takes seconds on a busy machine. */
const LONG_MS = 60_000;
const renewal = setInterval(() => {
  for (const id of mine) void reservations.renew(id, 0, ttlMs);
}, ttlMs / 4);
const reserve = async (id: string) => {
  const request = { account, id, amount: 1, limit: Number(limit), ttlMs: LONG_MS };
  const { granted } = await reservations.reserve(request);
  if (granted) mine.push(id);
};
await Promise.all(ids.map(reserve));
await Promise.all(mine.map((id) => reservations.renew(id, 0, ttlMs)));
console.log(JSON.stringify(mine));
await once(lines, "line");
clearInterval(renewal);
for (const id of mine) await reservations.finalize(id, 1);
await Promise.all([sql?.end(), pool?.end()]);
process.exit(0);
