import type { StoredEvent } from "../log/event.ts";
import type { ContentBlock, Message } from "../model/content.ts";

/** A piece of the model's context, in the order in which it was first sent. */
export interface ContextEntry {
  role: "user" | "assistant";
  blocks: ContentBlock[];
  /** Length of the blocks as JSON, for the token estimate. */
  chars: number;
  /** The event that it comes from. */
  seq: number;
  /** It has calls of the API's own tools, or their results. */
  hasServerTools: boolean;
}

/**
 * Messages that were made for the last request, of which entries, and behind which entry each of them ends.
 */
export interface KeptMessages {
  entries: readonly ContextEntry[];
  messages: readonly Message[];
  ends: readonly number[];
}

/** A list of the prefix, and the same list as it was last marked for the API's cache. */
export interface KeptList {
  list: readonly object[];
  marked: readonly object[];
}

/** What the next request may use of the one before. It is made of the log, and never read as a part of it. */
export interface KeptParts {
  /** Entries that were made for a request which is not in the log yet, by their events. */
  entries: Map<StoredEvent, ContextEntry>;
  messages: KeptMessages;
  system: KeptList;
  tools: KeptList;
}

/** Nothing of a request yet. */
export function newKeptParts(): KeptParts {
  return {
    entries: new Map(),
    messages: { entries: [], messages: [], ends: [] },
    system: { list: [], marked: [] },
    tools: { list: [], marked: [] },
  };
}
