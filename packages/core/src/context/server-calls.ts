import { type ContentBlock, isServerCall, isServerResult, isThinking } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { contextEntry } from "./project.ts";

/**
 * Returns whether the model has paused its answer (`pause_turn`). The model resumes when that answer is sent
 * again, unchanged and as the last message.
 */
export function isPaused(state: SessionState): boolean {
  const turn = openRun(state)?.turn;
  return turn?.stopReason === "pause_turn" && state.entries.at(-1)?.seq === turn.assistantSeq;
}

/**
 * Returns whether a tool that runs on the API's side is still running: its call is in the context, its result
 * is not.
 */
export function hasOpenServerCalls(entries: readonly ContextEntry[]): boolean {
  // A quick check first: most contexts have no such tools, and every turn calls this several times.
  return hasServerTools(entries) && [...unpairedBlocks(entries)].some(isServerCall);
}

/**
 * Removes unfinished calls of the API's own tools, and results without a call: the API refuses both once
 * another message follows. Also removes later thinking, because its signature covers the removed blocks.
 * Entries before the index `from` stay unchanged.
 */
export function withoutUnpaired(entries: ContextEntry[], from = 0): ContextEntry[] {
  if (!hasServerTools(entries)) return entries;
  const unpaired = unpairedBlocks(entries);
  if (!entries.slice(from).some(({ blocks }) => blocks.some((block) => unpaired.has(block)))) return entries;
  let hasRemoved = false;
  return entries.flatMap((entry, index) => {
    if (index < from) return [entry];
    const blocks = entry.blocks.filter((block) => {
      hasRemoved ||= unpaired.has(block);
      return !unpaired.has(block) && !(hasRemoved && isThinking(block));
    });
    if (blocks.length === entry.blocks.length) return [entry];
    // The API refuses an answer that ends with thinking.
    while (blocks.length > 0 && isThinking(blocks.at(-1) as ContentBlock)) blocks.pop();
    return blocks.length === 0 ? [] : [contextEntry(entry.role, blocks, entry.seq)];
  });
}

/**
 * Removes unfinished calls of the API's own tools that will never get a result. Keeps a call if an answer
 * that was already sent follows it: within a prefix, only the end of the context may change.
 */
export function endServerCalls(state: SessionState): void {
  const lastSent = state.entries.findLastIndex(
    ({ role, seq }) => role === "assistant" && seq < state.requestSeq,
  );
  const entries = withoutUnpaired(state.entries, Math.max(0, lastSent));
  if (entries === state.entries) return;
  state.entries = entries;
  state.hashed = { entries: 0, hash: "" };
}

/**
 * Returns whether the model's answer has ended while a call of one of the API's own tools has no result. The
 * API refuses such a call once another message follows. `endServerCalls` removes it, or a new prefix if an
 * answer that was sent follows it.
 */
export function hasLostServerCalls(state: SessionState): boolean {
  const stopReason = openRun(state)?.turn?.stopReason;
  const willContinue = stopReason === "pause_turn" || stopReason === "tool_use";
  return !willContinue && hasOpenServerCalls(state.entries);
}

function hasServerTools(entries: readonly ContextEntry[]): boolean {
  for (const entry of entries) if (entry.hasServerTools) return true;
  return false;
}

/** Returns the calls of the API's own tools that have no result, and the results that have no call. */
function unpairedBlocks(entries: readonly ContextEntry[]): Set<ContentBlock> {
  const unpaired = new Set<ContentBlock>();
  const calls = new Map<unknown, ContentBlock>();
  for (const { role, blocks, hasServerTools } of entries) {
    if (role !== "assistant" || !hasServerTools) continue;
    for (const block of blocks) {
      if (isServerCall(block)) {
        calls.set(block.id, block);
        unpaired.add(block);
      } else if (isServerResult(block)) {
        const call = calls.get(block.tool_use_id);
        if (call === undefined) unpaired.add(block);
        else unpaired.delete(call);
      }
    }
  }
  return unpaired;
}
