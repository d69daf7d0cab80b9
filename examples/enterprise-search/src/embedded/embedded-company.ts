import { join, resolve } from "node:path";
import type { Queryable } from "@pawl/postgres";
import { COMPANY_NOW, DEFAULT_DOCUMENTS, DEFAULT_SEED } from "../company/index.ts";
import { type AgentStore, agentStore } from "../custom/index.ts";
import type { BuildProgress } from "../data/index.ts";
import { type CompanySearch, companySearch } from "../search/index.ts";
import { FORMAT } from "./format.ts";
import { type WorkerDatabase, workerDatabase } from "./worker-database.ts";

export interface EmbeddedCompanyOptions {
  /** The folder to keep indexes in, one for each seed and size. Default: in memory only. */
  dataDir?: string | undefined;
  /** Default: `harborline`. */
  seed?: string;
  /** How many documents, at least 1,000. Default: 50,000. */
  documents?: number;
  /** Is called on the way to the index. */
  onProgress?(progress: BuildProgress): void;
}

/** The made-up company in a Postgres of its own, in a thread of its own. */
export interface EmbeddedCompany {
  /** Searches. The first search starts the building of the index, and waits for it. */
  search: CompanySearch;
  /**
   * The agents that people make, and those that are there from the beginning. They are kept with the index:
   * another version of this package that needs another index begins without those of people.
   */
  agents: AgentStore;
  /** The database, for statements of your own. They wait for the index, too. */
  db: Queryable;
  /**
   * Starts the building of the index, or opens the one that is kept, and resolves once it can be searched.
   */
  ready(): Promise<void>;
  /** How far the building is; `undefined` if nobody has needed the index yet. */
  progress(): BuildProgress | undefined;
  /** Ends the thread. A half-built index on disk is continued at the next start. */
  close(): Promise<void>;
}

/**
 * Prepares a search over the made-up company without a server. Nothing happens until it is first used: then a
 * thread builds the index, in about half a minute for 50,000 documents, and keeps it on disk. Later starts
 * take a second. The calling thread stays free all the time. If the thread dies, the next search starts
 * another one.
 *
 * One process at a time can use an index: in others, searches fail.
 *
 * @example
 * ```ts compile
 * import { embeddedCompany } from "@pawl/example-enterprise-search";
 *
 * const company = embeddedCompany({ dataDir: ".pawl" });
 * const caller = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
 * const found = await company.search.search(caller, { text: "What does Alex Rivera say about Q4?" });
 * if (found.status === "ok") console.log(found.hits[0]?.title);
 * await company.close();
 * ```
 */
export function embeddedCompany({
  dataDir,
  seed = DEFAULT_SEED,
  documents = DEFAULT_DOCUMENTS,
  onProgress = () => undefined,
}: EmbeddedCompanyOptions = {}): EmbeddedCompany {
  const name = `search-${FORMAT}-${encodeURIComponent(seed)}-${documents}`;
  const directory = dataDir === undefined ? undefined : join(resolve(dataDir), name);
  let running: WorkerDatabase | undefined;
  let progress: BuildProgress | undefined;
  const start = (): WorkerDatabase => {
    running ??= workerDatabase(
      { directory, seed, documents },
      {
        onProgress: (now) => {
          progress = now;
          onProgress(now);
        },
        onEnd: () => {
          running = undefined;
          progress = undefined;
        },
      },
    );
    return running;
  };
  const db: Queryable = { query: async (text, values) => await start().query(text, values) };
  return {
    db,
    search: companySearch(db, { now: () => COMPANY_NOW }),
    agents: agentStore(db),
    ready: async () => await start().ready,
    progress: () => progress,
    close: async () => await running?.close(),
  };
}
