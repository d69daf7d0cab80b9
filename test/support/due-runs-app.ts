// An app for `pawl worker` over the Postgres or the SQLite file in DB. When it closes, it adds a line of JSON to the file in
// REPORT: what it has counted.
import { appendFileSync } from "node:fs";
import { agent, type EventStore, runtime } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";
import { standstill } from "../attacks/parts/standstill.ts";
import { pause } from "./pause.ts";

/** What a worker reports. */
export interface WorkerReport {
  /** How many sessions it has opened. */
  opened: number;
  /** How many sessions it has opened in one turn of the event loop, at most. */
  inOneTurn: number;
  /** How long the event loop stood still at most, in milliseconds of processor time. */
  silentMs: number;
  /** How many runs asked the model at the same time, at most. */
  atOnce: number;
}

const { DB = "", REPORT = "", LONG_MS = "0" } = process.env;
const report: WorkerReport = { opened: 0, inOneTurn: 0, silentMs: 0, atOnce: 0 };

let inThisTurn = 0;
const countOpened = () => {
  if (inThisTurn === 0)
    setImmediate(() => {
      inThisTurn = 0;
    });
  inThisTurn += 1;
  report.opened += 1;
  report.inOneTurn = Math.max(report.inOneTurn, inThisTurn);
};

const pool = DB.startsWith("postgres") ? new pg.Pool({ connectionString: DB, max: 10 }) : undefined;
const inner: EventStore = pool === undefined ? sqliteStore(nodeSqlite(DB)) : postgresStore(pool);
const store: EventStore = {
  ...inner,
  open: async (wanted) => {
    countOpened();
    return await inner.open?.(wanted);
  },
};

let asking = 0;
const model = scriptedModel(async ({ messages }) => {
  asking += 1;
  report.atOnce = Math.max(report.atOnce, asking);
  const isLong = JSON.stringify(messages[0]).includes("long");
  await pause(isLong ? Number(LONG_MS) : 5, "the time that the model takes");
  asking -= 1;
  return { text: "Done." };
});

export const pawl = runtime({ agents: [agent({ name: "a", instructions: "i", model })], store });

const closing = Promise.withResolvers<void>();
const measured = standstill(() => closing.promise);

export async function close(): Promise<void> {
  closing.resolve();
  report.silentMs = (await measured).longestMs;
  await pool?.end();
  appendFileSync(REPORT, `${JSON.stringify(report)}\n`);
}
