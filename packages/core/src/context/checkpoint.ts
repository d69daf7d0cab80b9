import type { EventData, NewEvent, StoredOf } from "../log/event.ts";
import { type ContentBlock, isToolUse } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";
import { admit } from "./admit.ts";
import { contextEntry, withoutThinking } from "./project.ts";
import { wrap } from "./sanitize.ts";
import { withoutUnpaired } from "./server-calls.ts";

/**
 * A checkpoint and the prefix that it begins, to be stored in one append: what precedes an answer has
 * changed, so no thinking of before can be sent any more. System and tools stay those of the log; where
 * earlier context is left out, user data moves into the system prompt as it was last told.
 */
export function checkpointEvents(
  state: SessionState,
  agent: { readonly userData?: unknown },
  data: EventData["checkpoint"],
  prefixId: string,
): NewEvent[] {
  const { system = [], tools = [] } = state.prefix ?? {};
  const retold =
    data.reason !== "drop_old_results" && agent.userData !== undefined ? state.userData : undefined;
  const blocks =
    retold === undefined ? system : [...system.slice(0, 1), { type: "text" as const, text: retold }];
  return [
    { type: "checkpoint", data },
    { type: "prefix", data: { prefix_id: prefixId, system: blocks, tools } },
  ];
}

/** Folds a checkpoint in: takes up what it had seen, and gives what lies before its boundary its new form. */
export function applyCheckpoint(state: SessionState, { seq, data }: StoredOf<"checkpoint">): void {
  admit(state, data.upto_seq);
  const at = Math.max(0, indexOf(state.entries, data.from_seq));
  const before = state.entries.slice(0, at);
  const summary = data.summary === undefined ? [] : [summaryEntry(data.summary, seq)];
  const kept = data.reason === "drop_old_results" ? before.map(withoutResults) : summary;
  state.entries = withoutUnpaired(withoutThinking([...kept, ...state.entries.slice(at)]));
  state.hashed = { entries: 0, hash: "" };
}

/** Where the event with this `seq` stands in the context, -1 if it is not there. */
export function indexOf(entries: readonly ContextEntry[], seq: number): number {
  return entries.findIndex((entry) => entry.seq === seq);
}

/**
 * The last place up to `index` at which context can begin: no result is parted from its call there. With
 * `user` the context begins with something that is not the model's own, because nothing stands before it.
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

/** The entry with which the last `turns` answers of the model begin; 0 if there are no more than that. */
export function lastTurns(entries: readonly ContextEntry[], turns: number): number {
  const answers = entries.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  return answers.at(-turns) ?? entries.length;
}

/** The entry with results replaced by a note of their length, where that is shorter. */
export function withoutResults(entry: ContextEntry): ContextEntry {
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

function summaryEntry(summary: string, seq: number): ContextEntry {
  return contextEntry("user", [{ type: "text", text: wrap("conversation_summary", summary) }], seq);
}
