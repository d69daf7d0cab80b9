import { type Runtime, runtime } from "@pawl/core";
import { withMetrics } from "@pawl/otel";
import { pgBossEngine } from "@pawl/pg-boss";
import { migrate, postgresStore, postgresTail } from "@pawl/postgres";
import pg from "pg";
import { traveller } from "./agent.ts";

/** What each process of the fleet has. */
export interface Process {
  pawl: Runtime<"traveller">;
  /** Closes the engine and the database. Call it after `drain()`. */
  close(): Promise<void>;
}

/** How long a run of a dead worker waits before another worker resumes it, in milliseconds. */
const leaseTtlMs = Number(process.env.PAWL_LEASE_MS ?? 10_000);

/** Connects this process, which works on at most `concurrency` runs at a time. With 0, it takes requests. */
export async function connect({ concurrency }: { concurrency: number }): Promise<Process> {
  const { DATABASE_URL: connectionString } = process.env;
  if (!connectionString) throw new Error("Set DATABASE_URL to a Postgres, e.g. postgres://localhost/pawl.");
  const db = new pg.Pool({ connectionString });
  db.on("error", console.error);
  await migrate(db);
  const tail = postgresTail(db);
  const engine = pgBossEngine({ connectionString, sameDatabase: true });
  const store = withMetrics(postgresStore(db));
  const pawl = runtime({ agents: [traveller], store, tail, engine, concurrency, times: { leaseTtlMs } });
  return {
    pawl,
    close: async () => {
      await engine.close();
      await tail.close();
      await db.end();
    },
  };
}
