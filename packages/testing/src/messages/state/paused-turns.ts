import type { ContentBlock } from "@pawl/core";
import { turnsOf, type WireMessage } from "../../base/wire-request.ts";
import { meaningOf, sha } from "./thinking-seal.ts";

/** The answers that a simulator has paused. Each can be continued by sending it back unchanged. */
export interface PausedTurns {
  /** `blocks`: the assistant's turn from its beginning. */
  add(blocks: readonly ContentBlock[]): void;
  has(blocks: readonly ContentBlock[]): boolean;
}

export function pausedTurns(): PausedTurns {
  const known = new Set<string>();
  const nameOf = (blocks: readonly ContentBlock[]): string =>
    sha(blocks.filter(({ type, text }) => type !== "text" || text !== "").map(meaningOf));
  return {
    add: (blocks) => void known.add(nameOf(blocks)),
    has: (blocks) => known.has(nameOf(blocks)),
  };
}

/** The assistant's blocks at the end of a request; empty if the last message is not the assistant's. */
export function lastBlocks(messages: readonly WireMessage[]): ContentBlock[] {
  const last = turnsOf(messages).at(-1);
  return last?.role === "assistant" ? last.blocks.map(({ block }) => block) : [];
}
