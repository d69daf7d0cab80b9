import type { StoredEvent } from "../log/event.ts";
import type { ContentBlock, Message } from "../model/content.ts";

/** A piece of the model's context, in the order in which it was first sent. */
export interface ContextEntry {
  role: "user" | "assistant";
  blocks: ContentBlock[];
  /** Length of the blocks as JSON, for the token estimate. */
  chars: number;
  /** `seq` of the event that it comes from. */
  seq: number;
  /** Whether it has calls of the API's own tools, or their results. */
  hasServerTools: boolean;
}

/**
 * The messages of the last request, the entries they were made from, and for each message the index after its
 * last entry.
 */
export interface KeptMessages {
  entries: readonly ContextEntry[];
  messages: readonly Message[];
  ends: readonly number[];
}

/** A list of the prefix, and the same list with its cache marks. */
export interface KeptList {
  list: readonly object[];
  marked: readonly object[];
}

/**
 * Parts of earlier requests that the next one may reuse. They are derived from the log, never read as part of
 * it.
 */
export interface KeptParts {
  /** Entries made for a request that is not in the log yet, by their events. */
  entries: Map<StoredEvent, ContextEntry>;
  messages: KeptMessages;
  system: KeptList;
  tools: KeptList;
}

/** Returns empty parts, for a session without requests. */
export function newKeptParts(): KeptParts {
  return {
    entries: new Map(),
    messages: { entries: [], messages: [], ends: [] },
    system: { list: [], marked: [] },
    tools: { list: [], marked: [] },
  };
}
