// An app for `pawl worker` over the SQLite file in DB. When it closes, it writes to the file in REPORT for how
// long its event loop stood still at most, in milliseconds of processor time.
import { writeFileSync } from "node:fs";
import { runtime } from "@pawl/core";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { answeringAgent } from "./open-runs.ts";
import { standstill } from "./standstill.ts";

const { DB = "", REPORT = "" } = process.env;
const closing = Promise.withResolvers<void>();
const measured = standstill(() => closing.promise);

export const pawl = runtime({ agents: [answeringAgent()], store: sqliteStore(nodeSqlite(DB)) });

export async function close(): Promise<void> {
  closing.resolve();
  const { longestMs } = await measured;
  writeFileSync(REPORT, String(longestMs));
}
