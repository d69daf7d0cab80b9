import type { NewEvent, StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { type ContentBlock, isToolUse } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { admit } from "./admit.ts";
import { withoutFiles, withoutRefusedFiles } from "./file-limits.ts";
import { ownTagsAt } from "./own-tags.ts";
import { newPrefix } from "./prefix.ts";
import { contextEntry, withoutThinking } from "./project.ts";
import { wrap } from "./sanitize.ts";
import { withoutUnpaired } from "./server-calls.ts";

/**
 * Returns the events of a checkpoint and the prefix after it, for one append. The new prefix has the same
 * system prompt and tools, and removes earlier thinking, because the context before the thinking changes. If
 * earlier context is left out, the user data that was sent last moves into the system prompt.
 */
export function checkpointEvents(
  state: SessionState,
  agent: { readonly userData?: unknown },
  data: EventData["checkpoint"],
  prefixId: string,
): NewEvent[] {
  const { system = [] } = state.prefix ?? {};
  const retold =
    data.reason !== "drop_old_results" && agent.userData !== undefined ? state.userData : undefined;
  const blocks =
    retold === undefined ? system : [...system.slice(0, 1), { type: "text" as const, text: retold }];
  return [{ type: "checkpoint", data }, newPrefix(state, prefixId, blocks)];
}

/**
 * Applies a checkpoint to a session's state: admits the events up to `upto_seq`, and replaces the context
 * before `from_seq` by the shorter form.
 */
export function applyCheckpoint(state: SessionState, { seq, data }: StoredOf<"checkpoint">): void {
  admit(state, data.upto_seq);
  const at = Math.max(0, indexOf(state.entries, data.from_seq));
  const before = state.entries.slice(0, at);
  const summary = data.summary === undefined ? [] : [summaryEntry(state, data.summary, seq)];
  const kept = data.reason === "drop_old_results" ? before.map(shorter(data)) : summary;
  const all = [...kept, ...state.entries.slice(at)];
  const readable = data.only === "refused_files" ? withoutRefusedFiles(all) : all;
  state.entries = withoutUnpaired(withoutThinking(readable));
  state.hashed = { entries: 0, hash: "" };
}

/** Returns the function that shortens an entry for a checkpoint which keeps the entries. */
function shorter({ only }: EventData["checkpoint"]): (entry: ContextEntry) => ContextEntry {
  return only === "files" ? withoutFiles : withoutResults;
}

/** Returns the index of the entry with this `seq`, or -1. */
export function indexOf(entries: readonly ContextEntry[], seq: number): number {
  return entries.findIndex((entry) => entry.seq === seq);
}

/**
 * Returns the last index up to `index` at which context can begin, so that no result is separated from its
 * call. With `user`, the context must begin with a user entry.
 */
export function boundaryAt(entries: readonly ContextEntry[], index: number, user: boolean): number {
  let at = index;
  while (at > 0 && !isBoundary(entries, at, user)) at -= 1;
  return at;
}

function isBoundary(entries: readonly ContextEntry[], at: number, user: boolean): boolean {
  const calls = entries[at - 1]?.blocks.some(isToolUse) ?? false;
  const results = entries[at]?.blocks.some(isResult) ?? false;
  return !calls && !results && (!user || entries[at]?.role === "user");
}

/**
 * Returns the index of the entry with which the model's last `turns` answers begin; `entries.length` if there
 * are fewer answers.
 */
export function lastTurns(entries: readonly ContextEntry[], turns: number): number {
  const answers = entries.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return answers.at(-turns) ?? entries.length;
}

/**
 * Returns an entry with each tool result replaced by a note of its length, if the note is shorter, and
 * without its files.
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

function droppedNote({ content }: ContentBlock): string | undefined {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const note = `[dropped: ${text.length} chars]`;
  return note.length < text.length && !/^\[dropped: \d+ chars\]$/.test(text) ? note : undefined;
}

function isResult(block: ContentBlock): boolean {
  return block.type === "tool_result";
}

function summaryEntry(state: SessionState, summary: string, seq: number): ContextEntry {
  const text = wrap("conversation_summary", summary, { tags: ownTagsAt(state, seq) });
  return contextEntry("user", [{ type: "text", text }], seq);
}
