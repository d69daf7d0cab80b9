import { type ContentBlock, isServerCall, isServerResult, isThinking } from "../model/content.ts";
import type { ContextEntry, SessionState } from "../session/state.ts";
import { contextEntry } from "./project.ts";

/** Whether a tool that runs on the API's side is still at work: its call is in the context, its result is not. */
export function hasOpenServerCalls(entries: readonly ContextEntry[]): boolean {
  return [...unpaired(entries)].some(isServerCall);
}

/**
 * The entries without calls of the API's own tools that never came back, and without results whose call is gone: the API
 * refuses both as soon as somebody else has spoken. Thinking that comes later is bound to them and goes with them.
 */
export function withoutUnpaired(entries: ContextEntry[]): ContextEntry[] {
  const lost = unpaired(entries);
  if (lost.size === 0) return entries;
  let changed = false;
  return entries.flatMap((entry) => {
    const blocks = entry.blocks.filter((block) => {
      changed ||= lost.has(block);
      return !lost.has(block) && !(changed && isThinking(block));
    });
    if (blocks.length === entry.blocks.length) return [entry];
    while (blocks.length > 0 && isThinking(blocks.at(-1) as ContentBlock)) blocks.pop();
    return blocks.length === 0 ? [] : [contextEntry(entry.role, blocks, entry.seq)];
  });
}

/** What the API's own tools have not finished when a run ends is never finished: it is not sent again. */
export function endServerCalls(state: SessionState): void {
  const entries = withoutUnpaired(state.entries);
  if (entries === state.entries) return;
  state.entries = entries;
  state.hashed = { entries: 0, hash: "" };
}

function unpaired(entries: readonly ContextEntry[]): Set<ContentBlock> {
  const lost = new Set<ContentBlock>();
  const calls = new Map<unknown, ContentBlock>();
  for (const { role, blocks, ownTools } of entries) {
    if (role !== "assistant" || !ownTools) continue;
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
