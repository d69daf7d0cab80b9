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
  // Most contexts have none, and every turn asks this several times.
  return hasServerTools(entries) && [...unpaired(entries)].some(isServerCall);
}

/**
 * Returns the entries without unfinished calls of the API's own tools, and without results whose call is
 * gone: the API refuses both once another message follows. Later thinking is bound to them and is removed
 * too. Entries before `from` are not changed.
 */
export function withoutUnpaired(entries: ContextEntry[], from = 0): ContextEntry[] {
  if (!hasServerTools(entries)) return entries;
  const lost = unpaired(entries);
  if (!entries.slice(from).some(({ blocks }) => blocks.some((block) => lost.has(block)))) return entries;
  let changed = false;
  return entries.flatMap((entry, at) => {
    if (at < from) return [entry];
    const blocks = entry.blocks.filter((block) => {
      changed ||= lost.has(block);
      return !lost.has(block) && !(changed && isThinking(block));
    });
    if (blocks.length === entry.blocks.length) return [entry];
    while (blocks.length > 0 && isThinking(blocks.at(-1) as ContentBlock)) blocks.pop();
    return blocks.length === 0 ? [] : [contextEntry(entry.role, blocks, entry.seq)];
  });
}

/**
 * Removes calls that the API's own tools will never finish. Keeps a call if an answer that was already sent
 * follows it: within a prefix, only the end of the context may change.
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
 * Returns whether the API has continued its answer without the result of one of its own tools. That tool's
 * call cannot be sent once another message follows, and only a new prefix can remove it.
 */
export function hasLostServerCalls(state: SessionState): boolean {
  const stopReason = openRun(state)?.turn?.stopReason;
  const goesOn = stopReason === "pause_turn" || stopReason === "tool_use";
  return !goesOn && hasOpenServerCalls(state.entries);
}

function hasServerTools(entries: readonly ContextEntry[]): boolean {
  for (const entry of entries) if (entry.hasServerTools) return true;
  return false;
}

function unpaired(entries: readonly ContextEntry[]): Set<ContentBlock> {
  const lost = new Set<ContentBlock>();
  const calls = new Map<unknown, ContentBlock>();
  for (const { role, blocks, hasServerTools } of entries) {
    if (role !== "assistant" || !hasServerTools) continue;
    for (const block of blocks) {
      if (isServerCall(block)) {
        calls.set(block.id, block);
        lost.add(block);
      } else if (isServerResult(block)) {
        const call = calls.get(block.tool_use_id);
        if (call === undefined) lost.add(block);
        else lost.delete(call);
      }
    }
  }
  return lost;
}
