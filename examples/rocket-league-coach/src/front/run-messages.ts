import type { StoredEvent, StoredOf } from "@pawl/core";
import type { ChatBlock, ChatMessage } from "../base/chat-message.ts";

/**
 * Returns a run's messages as the Messages API has them: the user's, the model's with thinking and
 * signatures, and the results of its calls. Of an answer that was cut off it keeps the complete blocks.
 */
export function runMessages(events: readonly StoredEvent[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const results = new Map<string, StoredOf<"tool_result">>();
  for (const event of events) if (event.type === "tool_result") results.set(event.data.call_id, event);
  for (const event of events) {
    if (event.type === "user_message") add(messages, "user", textBlocks(event.data.message));
    if (event.type !== "assistant_message") continue;
    const blocks = keptOf(event);
    add(messages, "assistant", blocks);
    add(
      messages,
      "user",
      blocks.flatMap((block) => resultOf(block, results)),
    );
  }
  return messages;
}

/** Adds blocks. Messages of one role follow each other as one message, which the API requires of results. */
function add(messages: ChatMessage[], role: ChatMessage["role"], blocks: ChatBlock[]): void {
  const last = messages.at(-1);
  if (blocks.length === 0) return;
  if (last?.role === role) last.content_blocks.push(...blocks);
  else messages.push({ role, content_blocks: [...blocks] });
}

function textBlocks(text: string): ChatBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function keptOf({ data }: StoredOf<"assistant_message">): ChatBlock[] {
  const { content, disposition, complete } = data;
  if (disposition === "discarded") return [];
  const blocks = (disposition === "kept" ? content : content.slice(0, complete)) as unknown as ChatBlock[];
  return blocks.filter(({ type, text }) => type !== "text" || String(text).trim() !== "");
}

/** Returns the result of a call. A call without one was stopped. */
function resultOf(block: ChatBlock, results: ReadonlyMap<string, StoredOf<"tool_result">>): ChatBlock[] {
  if (block.type !== "tool_use") return [];
  const tool_use_id = String(block.id);
  const found = results.get(tool_use_id)?.data;
  if (found === undefined)
    return [
      { type: "tool_result", tool_use_id, content: "Stopped before there was a result.", is_error: true },
    ];
  const { result, success } = found;
  const content = found.content ?? (typeof result === "string" ? result : JSON.stringify(result));
  return [{ type: "tool_result", tool_use_id, content, ...(!success && { is_error: true }) }];
}
