import type { NewEvent, StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { type ContentBlock, isToolUse } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { admit } from "./admit.ts";
import { withoutFiles, withoutRefusedFiles } from "./file-notes.ts";
import { ownTagsAt } from "./own-tags.ts";
import { newPrefix } from "./prefix.ts";
import { contextEntry, withoutThinking } from "./project.ts";
import { withoutRefused } from "./refused-content.ts";
import { wrapInTag } from "./sanitize.ts";
import { withoutUnpaired } from "./server-calls.ts";

/**
 * Returns a `checkpoint` event and the `prefix` event after it, for one append. The new prefix has the same
 * instructions and tools. It removes earlier thinking, because the context before the thinking changes. If
 * the checkpoint replaces earlier context by a summary or drops it, the last user data moves into the system
 * prompt.
 */
export function checkpointEvents(
  state: SessionState,
  agent: { readonly userData?: unknown },
  data: EventData["checkpoint"],
  prefixId: string,
): NewEvent[] {
  const { system = [] } = state.prefix ?? {};
  const movedUserData =
    data.reason !== "drop_old_results" && agent.userData !== undefined ? state.userData : undefined;
  const blocks =
    movedUserData === undefined
      ? system
      : [...system.slice(0, 1), { type: "text" as const, text: movedUserData }];
  return [{ type: "checkpoint", data }, newPrefix(state, prefixId, blocks)];
}

/**
 * Applies a checkpoint to a session's state. Admits the events up to `upto_seq`, and shortens the context
 * before `from_seq`.
 */
export function applyCheckpoint(state: SessionState, { seq, data }: StoredOf<"checkpoint">): void {
  admit(state, data.upto_seq);
  const start = Math.max(0, indexOf(state.entries, data.from_seq));
  const before = state.entries.slice(0, start);
  const summary = data.summary === undefined ? [] : [summaryEntry(state, data.summary, seq)];
  const shortened = data.reason === "drop_old_results" ? before.map(shortenerFor(data)) : summary;
  const entries = [...shortened, ...state.entries.slice(start)];
  const { only, refused } = data;
  const left = only === "refused_files" ? withoutRefusedFiles(entries) : entries;
  const accepted = refused === undefined ? left : withoutRefused(left, refused);
  const run = openRun(state);
  if (refused !== undefined && run !== undefined) {
    run.refusedAt = run.turns;
    run.blocked = refused.stop;
  }
  if (refused?.stop !== undefined)
    state.queued = state.queued.filter((message) => !refused.events.some(({ seq }) => seq === message.seq));
  state.entries = withoutUnpaired(withoutThinking(accepted));
  state.hashed = { entries: 0, hash: "" };
}

/** Returns the function that shortens each entry before `from_seq` for the reason `drop_old_results`. */
function shortenerFor({ only }: EventData["checkpoint"]): (entry: ContextEntry) => ContextEntry {
  return only === "files" ? withoutFiles : withoutResults;
}

/** Returns the index of the entry with this `seq`, or -1. */
export function indexOf(entries: readonly ContextEntry[], seq: number): number {
  return entries.findIndex((entry) => entry.seq === seq);
}

/**
 * Returns the largest index up to `index` at which context can begin without separating a result from its
 * call. With `user`, the entry at this index must be a user entry.
 */
export function boundaryBefore(entries: readonly ContextEntry[], index: number, user: boolean): number {
  let boundary = index;
  while (boundary > 0 && !isBoundary(entries, boundary, user)) boundary -= 1;
  return boundary;
}

/** Returns whether context can begin at `index` without separating a result from its call. */
export function isBoundary(entries: readonly ContextEntry[], index: number, user: boolean): boolean {
  const followsCalls = entries[index - 1]?.blocks.some(isToolUse) ?? false;
  const hasResults = entries[index]?.blocks.some(isResult) ?? false;
  if (followsCalls || hasResults) return false;
  return !user || entries[index]?.role === "user";
}

/**
 * Returns the index of the first of the model's last `turns` answers; `entries.length` if there are fewer
 * answers.
 */
export function startOfLastTurns(entries: readonly ContextEntry[], turns: number): number {
  const answerIndexes = entries.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return answerIndexes.at(-turns) ?? entries.length;
}

/**
 * Replaces the files of an entry by notes, and each tool result by a note of its length. Keeps a result that
 * is shorter than its note.
 */
export function withoutResults(whole: ContextEntry): ContextEntry {
  const entry = withoutFiles(whole);
  if (!entry.blocks.some((block) => isResult(block) && droppedNote(block) !== undefined)) return entry;
  const blocks = entry.blocks.map((block) => {
    const note = isResult(block) ? droppedNote(block) : undefined;
    return note === undefined ? block : { ...block, content: note };
  });
  return contextEntry(entry.role, blocks, entry.seq);
}

/**
 * Returns the note that replaces a result; `undefined` if the note is not shorter, or if the result is
 * already such a note.
 */
function droppedNote({ content }: ContentBlock): string | undefined {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const note = `[dropped: ${text.length} chars]`;
  return note.length < text.length && !/^\[dropped: \d+ chars\]$/.test(text) ? note : undefined;
}

function isResult(block: ContentBlock): boolean {
  return block.type === "tool_result";
}

function summaryEntry(state: SessionState, summary: string, seq: number): ContextEntry {
  const text = wrapInTag("conversation_summary", summary, { tags: ownTagsAt(state, seq) });
  return contextEntry("user", [{ type: "text", text }], seq);
}
