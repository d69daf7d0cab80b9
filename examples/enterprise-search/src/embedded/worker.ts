// The thread that owns the embedded Postgres: it builds the index and answers statements one after the other.
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { unaccent } from "@electric-sql/pglite/contrib/unaccent";
import { writeDatabase } from "@pawl/postgres/embedded";
import { drawCompany } from "../company/index.ts";
import { type StoreOptions, storeCompany } from "../data/index.ts";
import { companyFolder, removeFolder, removeOtherIndexes } from "./company-folder.ts";
import { failureText } from "./failure-text.ts";
import { FORMAT } from "./format.ts";
import { copyAgents, firstAgents } from "./kept-agents.ts";
import { lockDirectory } from "./lock.ts";
import { openIndex } from "./open-index.ts";
import type { Order, Report, WorkerSettings } from "./protocol.ts";

const { dataDir, seed, documents } = workerData as WorkerSettings;
const send = (report: Report) => parentPort?.postMessage(report);

try {
  await serve();
} catch (error) {
  send({ type: "broken", message: failureText(error) });
}

async function serve(): Promise<void> {
  send({ type: "progress", progress: { stage: "start", done: 0, total: 0 } });
  const { db, copy, unlock } = await opened();
  send({ type: "progress", progress: { stage: "ready", done: documents, total: documents } });
  let isClosing = false;
  parentPort?.on("message", (order: Order) => {
    if (order.type === "query") return void answer(order.id, () => db.query(order.text, order.values));
    if (order.type === "copy-agents") return void answer(order.id, copy);
    if (isClosing) return;
    isClosing = true;
    void db.close().finally(() => {
      unlock();
      parentPort?.close();
    });
  });
}

async function answer(id: number, work: () => Promise<{ rows: unknown[] } | undefined>): Promise<void> {
  try {
    const result = await work();
    send({ type: "rows", id, rows: result?.rows ?? [] });
  } catch (error) {
    send({ type: "failed", id, message: failureText(error), code: (error as { code?: string }).code });
  }
}

interface Opened {
  db: PGlite;
  /** Copies the agents of people into their file. */
  copy(): Promise<undefined>;
  unlock(): void;
}

async function opened(): Promise<Opened> {
  if (dataDir === undefined) {
    const db = await create();
    await fill(db);
    return { db, copy: async () => undefined, unlock: () => {} };
  }
  const company = { format: FORMAT, seed, documents };
  const folder = companyFolder(dataDir, company);
  const unlock = lockDirectory(folder.path);
  const former: string[] = [];
  const agents = async () => {
    const first = await firstAgents(folder.agents, company, create);
    former.push(...first.read);
    return first.agents;
  };
  const db = await openIndex(folder, { create, fill: (index) => fill(index, agents) });
  const copy = () => copyAgents(db, folder.agents);
  await copy();
  removeOtherIndexes(folder);
  for (const path of former) removeFolder(path);
  return { db, copy, unlock };
}

async function fill(db: PGlite, agents?: StoreOptions["agents"]): Promise<void> {
  await storeCompany(db, `${seed}/${documents}`, () => drawCompany({ seed, documents }), {
    onProgress: (progress) => {
      // "ready" is sent when the agents are copied, too.
      if (progress.stage !== "ready") send({ type: "progress", progress });
    },
    ...(agents && { agents }),
  });
}

// All pages are in memory, so reading them in random order costs little more. Otherwise common words would be
// searched without the index.
async function create(directory?: string): Promise<PGlite> {
  if (directory !== undefined) await writeDatabase(directory);
  return await PGlite.create({
    ...(directory !== undefined && { dataDir: directory }),
    extensions: { pg_trgm, unaccent },
    startParams: [
      ...PGlite.defaultStartParams,
      // PGlite fills its buffers with zeros at each start, so a small index gets small ones.
      ...["-c", documents > 5_000 ? "shared_buffers=64MB" : "shared_buffers=16MB"],
      ...["-c", "random_page_cost=1.1"],
      // The log is needed for a crash only; the default would keep 200 MB of it.
      ...["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"],
      ...["-c", "log_startup_progress_interval=0"],
    ],
  });
}
