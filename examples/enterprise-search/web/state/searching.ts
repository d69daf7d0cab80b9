import { createContext, useContext } from "react";
import type { IndexState, Person, SearchServer } from "../base/server.ts";
import type { FoundDocument } from "../runs/citations.ts";
import type { Run } from "../runs/run.ts";

/** An opened source. */
export interface OpenSource {
  id: string;
  words: readonly string[];
}

/** The sources that are open beside the conversation. */
export interface SourceState {
  /** The shown source; `undefined` if none is open. */
  current: OpenSource | undefined;
  /** Whether another one was shown before, which `back` shows again. */
  canGoBack: boolean;
  /** Opens a source that an answer cites. `from` gets the focus back. */
  open(id: string, from?: HTMLElement): void;
  /** Opens a document that the shown one belongs to or refers to. */
  follow(id: string): void;
  back(): void;
  close(): void;
}

/** The messages that are not sent yet, first to last. */
export interface Queued {
  texts: readonly string[];
  /** What they wait for: the index, the end of the run before, or the user, because something failed. */
  waitFor: "index" | "answer" | "user";
  cancel(at: number): void;
}

/** The state that the parts of one conversation share. */
export interface Searching {
  server: SearchServer;
  runs: readonly Run[];
  /** The documents that the conversation's searches have found, by id. */
  found: ReadonlyMap<string, FoundDocument>;
  /** The messages that begin with questions, and the calls of the last of these. */
  planAfter: ReadonlyMap<string, string>;
  sources: SourceState;
  /** Whether a conversation that was opened has no events yet. */
  isOpening: boolean;
  /** The run whose details are shown. */
  shown: Run | undefined;
  /** Shows the details of a run beside the conversation. */
  showRun(run: Run, from?: HTMLElement): void;
  /** `lost`: the server cannot be reached, and is asked again. `again` starts the index again. */
  index: IndexState & { lost: boolean; again(): void };
  queued: Queued;
  /** The person whose rights a search has. `chosen` is the address of the next one, until it is that. */
  me: {
    person: Person | undefined;
    people: readonly Person[];
    chosen: string | undefined;
    failed: boolean;
    /** Whether another tab has chosen this person. */
    moved: boolean;
    become(email: string): void;
  };
}

export const SearchingContext = createContext<Searching | undefined>(undefined);

export function useSearching(): Searching {
  const searching = useContext(SearchingContext);
  if (searching === undefined) throw new Error("useSearching() works only inside a SearchFrame.");
  return searching;
}
