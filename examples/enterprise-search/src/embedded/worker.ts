// The thread that owns the embedded Postgres: it builds the index and answers statements one after the other.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { drawCompany } from "../company/index.ts";
import { storeCompany } from "../data/index.ts";
import { failureText } from "./failure-text.ts";
import { lockDirectory } from "./lock.ts";
import type { Order, Report, WorkerSettings } from "./protocol.ts";

const { directory, seed, documents } = workerData as WorkerSettings;
const send = (report: Report) => parentPort?.postMessage(report);

try {
  await serve();
} catch (error) {
  send({ type: "broken", message: failureText(error) });
}

async function serve(): Promise<void> {
  send({ type: "progress", progress: { stage: "start", done: 0, total: 0 } });
  const unlock = directory === undefined ? undefined : lockDirectory(directory);
  const db = await opened(directory === undefined ? undefined : join(directory, "postgres"));
  await storeCompany(db, `${seed}/${documents}`, () => drawCompany({ seed, documents }), {
    onProgress: (progress) => send({ type: "progress", progress }),
  });
  let isClosing = false;
  parentPort?.on("message", (order: Order) => {
    if (order.type === "query") return void answer(db, order);
    if (isClosing) return;
    isClosing = true;
    void db.close().finally(() => {
      unlock?.();
      parentPort?.close();
    });
  });
}

async function answer(db: PGlite, { id, text, values }: Order & { type: "query" }): Promise<void> {
  try {
    const { rows } = await db.query(text, values);
    send({ type: "rows", id, rows });
  } catch (error) {
    send({ type: "failed", id, message: failureText(error), code: (error as { code?: string }).code });
  }
}

/** Opens the database. Replaces it by an empty one if it is damaged or from another version of Postgres. */
async function opened(dataDir: string | undefined): Promise<PGlite> {
  try {
    return await create(dataDir);
  } catch (error) {
    if (dataDir === undefined || !existsSync(dataDir)) throw error;
    rmSync(dataDir, { recursive: true, force: true });
    return await create(dataDir);
  }
}

// All pages are in memory, so reading them in random order costs little more. Otherwise common words would be
// searched without the index.
async function create(dataDir: string | undefined): Promise<PGlite> {
  return await PGlite.create({
    ...(dataDir !== undefined && { dataDir }),
    extensions: { pg_trgm, unaccent },
    startParams: [
      ...PGlite.defaultStartParams,
      ...["-c", "shared_buffers=64MB"],
      ...["-c", "random_page_cost=1.1"],
      // The log is needed for a crash only; the default would keep 200 MB of it.
      ...["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"],
      ...["-c", "log_startup_progress_interval=0"],
    ],
  });
}
