import type { JsonObject } from "../base/json.ts";
import type { StoredEvent } from "../log/event.ts";
import type { ContentBlock, Message, TextBlock, ToolSpec } from "../model/content.ts";

/** A piece of the model's context: the blocks of one event. */
export interface ContextEntry {
  role: "user" | "assistant";
  blocks: ContentBlock[];
  /** Length of the blocks as JSON, for the token estimate. Images and PDFs count by an estimate. */
  chars: number;
  /** `seq` of the event that the blocks come from. */
  seq: number;
  /** Whether the blocks include calls of the API's own tools, or their results. */
  hasServerTools: boolean;
}

/** The system prompt and the tools of every request. */
export interface RequestPrefix {
  id: string;
  system: TextBlock[];
  tools: ToolSpec[];
  /** The JSON Schema that the model's answer must match; absent if it answers freely. */
  outputFormat?: JsonObject;
  /** The names of the tools that the client of the run has offered; absent without such tools. */
  clientTools?: readonly string[];
  /** What the sources of tools claim about them; absent if none claims anything. */
  annotations?: { tool: string; claims: JsonObject }[];
  /** Length of the prefix as JSON, in characters, for the token estimate. */
  chars: number;
}

/** What the API has counted for a prompt, from which the next prompt is estimated. */
export interface CountedPrompt {
  /** The id of the model that was asked. */
  model: string;
  /** The length of the prompt in characters. */
  chars: number;
  tokens: number;
  /** The tokens that each further character is estimated to take. */
  rate: number;
}

/**
 * The messages of the last request, and the entries from which they were made. `ends` has for each message
 * the index after its last entry.
 */
export interface KeptMessages {
  entries: readonly ContextEntry[];
  messages: readonly Message[];
  ends: readonly number[];
}

/** A list of the prefix (system blocks or tools), and a copy of it with cache breakpoints. */
export interface KeptList {
  list: readonly object[];
  withBreakpoints: readonly object[];
}

/**
 * Parts of earlier requests that the next one reuses to save time. They could be derived from the log again.
 */
export interface KeptParts {
  /** Entries by their events, made for a request that is not in the log yet. */
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
    system: { list: [], withBreakpoints: [] },
    tools: { list: [], withBreakpoints: [] },
  };
}
