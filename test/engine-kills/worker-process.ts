// A worker that is killed and frozen: `node worker-process.ts <engine> <database> [<ingress> <port>]`.
import { claude } from "@pawl/anthropic";
import { type EventStore, runtime } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import { killedWorker } from "@pawl/testing/kills";

const [name = "", database = "", ingress = "", port = ""] = process.argv.slice(2);

// What fails when another process is killed is not printed.
const onError = () => undefined;

// A process loads only what it uses: many of them are started.
async function openStore(): Promise<EventStore> {
  if (name === "sqlite") {
    const { nodeSqlite, sqliteStore } = await import("@pawl/sqlite");
    return sqliteStore(nodeSqlite(database));
  }
  const { default: pg } = await import("pg");
  const { postgresStore } = await import("@pawl/postgres");
  const pool = new pg.Pool({ connectionString: database, max: 5 });
  pool.on("error", onError);
  return postgresStore(pool);
}

async function openEngine(): Promise<Engine | undefined> {
  if (name === "pg-boss") {
    const { pgBossEngine } = await import("@pawl/pg-boss");
    return pgBossEngine({ connectionString: database, onError });
  }
  if (name !== "restate") return undefined;
  const { restateEngine } = await import("@pawl/restate");
  return restateEngine({ ingress, port: Number(port), onError });
}

const worker = killedWorker();
const { apiKey, modelUrl: baseURL, concurrency, leaseTtlMs } = worker;
const engine = await openEngine();
worker.start(
  runtime({
    agents: [worker.agent(claude("claude-sonnet-5-5", { baseURL, apiKey }))],
    store: worker.watchStore(await openStore()),
    ...(engine && { engine: worker.watchEngine(engine) }),
    concurrency,
    times: { leaseTtlMs },
    onError,
  }),
);
