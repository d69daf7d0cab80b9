import { resolve } from "node:path";
import { checkOptions, type OptionKinds } from "@pawl/core";
import type { Queryable } from "@pawl/postgres";
import { DOCUMENTS } from "../base/check.ts";
import { COMPANY_NOW, DEFAULT_DOCUMENTS, DEFAULT_SEED } from "../company/index.ts";
import { type AgentStore, agentStore } from "../custom/index.ts";
import type { BuildProgress } from "../data/index.ts";
import { type CompanySearch, companySearch } from "../search/index.ts";
import { keptAgents } from "./kept-agents.ts";
import { type WorkerDatabase, workerDatabase } from "./worker-database.ts";

export interface EmbeddedCompanyOptions {
  /**
   * The folder to keep indexes and people's agents in, in a folder for each seed and size. Default: in memory
   * only.
   */
  dataDir?: string | undefined;
  /** Default: `harborline`. */
  seed?: string;
  /** How many documents, at least 1,000. Default: 50,000. */
  documents?: number;
  /** Called with the progress of the build. */
  onProgress?(progress: BuildProgress): void;
}

const OPTIONS: OptionKinds<EmbeddedCompanyOptions> = {
  ...{ dataDir: "string", seed: "string", documents: DOCUMENTS, onProgress: "function" },
};

/** The made-up company in a Postgres of its own, in a thread of its own. */
export interface EmbeddedCompany {
  /** Searches. The first search starts to build the index, and waits for it. */
  search: CompanySearch;
  /**
   * The agents that people make, and those of the company. A file beside the index has a copy of those of
   * people. It is written before a change is reported, and survives if the index has to be built again.
   */
  agents: AgentStore;
  /** The database, for statements of your own. They wait for the index, too. */
  db: Queryable;
  /**
   * Starts to build the index, or opens the stored one. Resolves when the index can be searched.
   */
  ready(): Promise<void>;
  /** Returns the progress of the build; `undefined` before the index is first needed. */
  progress(): BuildProgress | undefined;
  /** Ends the thread. A half-built index on disk is continued at the next start. */
  close(): Promise<void>;
}

/**
 * Prepares a search over the made-up company without a server. At its first use, a thread builds the index,
 * in about 15 seconds for 50,000 documents, and keeps it in `dataDir`. Later starts take one or two seconds.
 * The calling thread stays free all the time. If the thread dies, the next search starts another one.
 *
 * One process at a time can use an index: in others, searches fail.
 *
 * @throws PawlError `config` for unknown and invalid options.
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
export function embeddedCompany(options: EmbeddedCompanyOptions = {}): EmbeddedCompany {
  checkOptions("embeddedCompany()", options, OPTIONS);
  const { dataDir, seed = DEFAULT_SEED, documents = DEFAULT_DOCUMENTS } = options;
  const { onProgress = () => undefined } = options;
  let running: WorkerDatabase | undefined;
  let progress: BuildProgress | undefined;
  const start = (): WorkerDatabase => {
    running ??= workerDatabase(
      { dataDir: dataDir === undefined ? undefined : resolve(dataDir), seed, documents },
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
    agents: keptAgents(agentStore(db), async () => await start().copyAgents()),
    ready: async () => await start().ready,
    progress: () => progress,
    close: async () => await running?.close(),
  };
}
