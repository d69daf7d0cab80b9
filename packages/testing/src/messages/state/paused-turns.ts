import type { ContentBlock } from "@pawl/core";
import { turnsOf, type WireMessage } from "../../base/wire-request.ts";
import { hashOf, meaningOf } from "./thinking-seal.ts";

/** The answers that a simulator has paused. A request continues one if it ends with the answer, unchanged. */
export interface PausedTurns {
  /** Adds a paused answer. `blocks` is the assistant's whole turn. */
  add(blocks: readonly ContentBlock[]): void;
  /** Returns whether these blocks are a paused turn. */
  has(blocks: readonly ContentBlock[]): boolean;
}

export function pausedTurns(): PausedTurns {
  const known = new Set<string>();
  const nameOf = (blocks: readonly ContentBlock[]): string =>
    hashOf(blocks.filter(({ type, text }) => type !== "text" || text !== "").map(meaningOf));
  return {
    add: (blocks) => void known.add(nameOf(blocks)),
    has: (blocks) => known.has(nameOf(blocks)),
  };
}

/**
 * Returns the assistant's blocks at the end of a request. The list is empty if the last message is another
 * role's.
 */
export function lastBlocks(messages: readonly WireMessage[]): ContentBlock[] {
  const last = turnsOf(messages).at(-1);
  return last?.role === "assistant" ? last.blocks.map(({ block }) => block) : [];
}
