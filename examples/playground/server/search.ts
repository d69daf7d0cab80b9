import { messageOf } from "@pawl/core";
import { type AgentStore, type CompanySearch, embeddedCompany } from "@pawl/example-enterprise-search";

/** The state of the index, as the page reads it. */
export interface IndexStatus {
  status: "none" | "building" | "ready" | "failed";
  stage?: string;
  /** The part that is done: 0 to 1. */
  done?: number;
  /** Why the index cannot be used. */
  error?: string;
}

/** The made-up company and its index. */
export interface SearchIndex {
  search: CompanySearch;
  /** The agents that people of the company have made, and public ones. */
  agents: AgentStore;
  status(): IndexStatus;
  /** Starts building or opening the index, also after a failure. Does not wait for it. */
  start(): void;
  close(): Promise<void>;
}

/** Options of `searchIndex()`. */
export interface SearchIndexOptions {
  /** The directory to keep the index in, in a folder of its own. */
  dir: string;
  documents: number;
  onError(error: unknown): void;
}

/** Where each stage begins, and its share. Most of the time goes into the documents. */
const STAGES = {
  start: [0.02, 0],
  draw: [0.1, 0],
  documents: [0.15, 0.7],
  words: [0.87, 0],
  ready: [1, 0],
} as const;

/** Prepares the company. Nothing is loaded or built before `start()`, or a search. */
export function searchIndex({ dir, documents, onError }: SearchIndexOptions): SearchIndex {
  const company = embeddedCompany({ dataDir: dir, documents });
  let error: string | undefined;
  let starting = false;
  let closed = false;
  const start = async () => {
    starting = true;
    error = undefined;
    try {
      await company.ready();
    } catch (cause) {
      error = wordsFor(cause);
      if (!closed) onError(cause);
    }
    starting = false;
  };
  return {
    search: company.search,
    agents: company.agents,
    status: () => {
      const now = company.progress();
      if (now !== undefined) {
        const [begin, share] = STAGES[now.stage];
        const done = begin + (now.total === 0 ? 0 : (share * now.done) / now.total);
        return { status: now.stage === "ready" ? "ready" : "building", stage: now.stage, done };
      }
      if (starting) return { status: "building", stage: "start", done: 0 };
      return error === undefined ? { status: "none" } : { status: "failed", error };
    },
    start: () => {
      if (!starting && !closed) void start();
    },
    close: async () => {
      closed = true;
      await company.close();
    },
  };
}

/** Words an error for the page. The whole error, which may have paths, is for the console. */
function wordsFor(cause: unknown): string {
  const message = messageOf(cause);
  if (message.includes("in use by another process"))
    return "Another process is using the search index. Close it, then try again.";
  if (message.includes("no space left"))
    return "The disk has no space left for the search index. Free at least 300 MB, then try again.";
  return "The search index could not be opened. Try again.";
}
