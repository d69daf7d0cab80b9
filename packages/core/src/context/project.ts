import type { EventData, StoredEvent } from "../events/event.ts";
import type { Json } from "../json.ts";
import { type ContentBlock, isText, isThinking, isToolUse, type Message } from "../model/content.ts";
import type { ContextEntry } from "../session/state.ts";
import { wrap } from "./sanitize.ts";

/** A context event that is not the model's own, as the blocks that the model reads. */
export function userEntry(event: StoredEvent): ContextEntry {
  return contextEntry("user", userBlocks(event), event.seq);
}

/** The part of an answer that can be sent again; `undefined` if none can. */
export function assistantEntry(data: EventData["assistant_message"], seq = 0): ContextEntry | undefined {
  const blocks = echoable(data);
  return blocks.length === 0 ? undefined : contextEntry("assistant", blocks, seq);
}

/** Entries as messages: neighbours of one role become one message. */
export function toMessages(entries: readonly ContextEntry[]): Message[] {
  const messages: Message[] = [];
  for (const { role, blocks } of entries) {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: [...blocks] });
  }
  return messages;
}

/** The entries with all thinking left out. */
export function withoutThinking(entries: readonly ContextEntry[]): ContextEntry[] {
  return entries.flatMap((existing) => {
    if (existing.role === "user" || !existing.blocks.some(isThinking)) return [existing];
    const blocks = existing.blocks.filter((block) => !isThinking(block));
    return blocks.length === 0 ? [] : [contextEntry("assistant", blocks, existing.seq)];
  });
}

/** Blocks as a piece of context that the event `seq` brought in. */
export function contextEntry(role: ContextEntry["role"], blocks: ContentBlock[], seq: number): ContextEntry {
  return { role, blocks, chars: JSON.stringify(blocks).length, seq };
}

function userBlocks(event: StoredEvent): ContentBlock[] {
  switch (event.type) {
    case "user_message":
      return [textBlock(event.data.message)];
    case "tool_result": {
      const { call_id, result, content = resultText(result), success } = event.data;
      const block: ContentBlock = { type: "tool_result", tool_use_id: call_id, content };
      return [success ? block : { ...block, is_error: true }];
    }
    case "knowledge":
      return [textBlock(wrap("knowledge", event.data.data, { source: event.data.source }))];
    case "artifact": {
      const { artifact_id, type, title, summary } = event.data;
      return [textBlock(wrap("artifact", JSON.stringify({ artifact_id, type, title, summary })))];
    }
    case "note":
      return [textBlock(wrap("note", event.data.text))];
    default:
      return [];
  }
}

/** What the model reads of a result that no formatter touched. */
export function resultText(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/**
 * An answer that came in whole is echoed as it is, but for empty text, which the API refuses. Of one that was cut off,
 * what precedes the first tool call is kept, without a thinking block that has lost what it led to: a call that was not
 * run must not be sent, and a clipped thinking block has no signature.
 */
function echoable({ content, disposition, complete }: EventData["assistant_message"]): ContentBlock[] {
  const sendable = (block: ContentBlock) => !isText(block) || block.text.trim() !== "";
  if (disposition === "discarded") return [];
  if (disposition === "kept") return content.filter(sendable);
  const firstCall = content.findIndex(isToolUse);
  const blocks = (firstCall === -1 ? content : content.slice(0, firstCall))
    .filter((block, index) => index < complete || isText(block))
    .filter(sendable);
  while (blocks.length > 0 && !isText(blocks.at(-1) as ContentBlock)) blocks.pop();
  return blocks;
}
