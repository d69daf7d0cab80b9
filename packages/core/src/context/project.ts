import { deepFreeze } from "../base/freeze.ts";
import { type Json, withoutLoneSurrogates } from "../base/json.ts";
import { hasLoneSurrogate, isBlank } from "../base/text.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { type ContentBlock, isServerCall, isServerResult, isThinking } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import { resendableBlocks } from "./echoable.ts";
import { estimatedChars } from "./estimated-chars.ts";
import { fileBlock } from "./file-blocks.ts";
import { ownTagOf } from "./own-tags.ts";
import { escapeTags, wrapInTag } from "./sanitize.ts";

/**
 * Converts an event to the context entry that the model reads. Handles all context events except
 * `assistant_message`. `tags` are the application's own tags up to this event. `hookTags` are the tags that
 * hooks have declared, which are escaped in messages of the user, too.
 */
export function userEntry(
  event: StoredEvent,
  tags: readonly string[] = [],
  hookTags: readonly string[] = [],
): ContextEntry {
  const message = event.type === "user_message" ? messageBlocks(event.data, hookTags) : undefined;
  return contextEntry("user", message ?? otherBlocks(event, tags), event.seq);
}

/**
 * Returns the context entry of a model's answer, with the blocks that later requests can contain. Returns
 * `undefined` without any.
 */
export function assistantEntry(data: EventData["assistant_message"], seq = 0): ContextEntry | undefined {
  const blocks = resendableBlocks(data);
  return blocks.length === 0 ? undefined : contextEntry("assistant", blocks, seq);
}

/** Removes thinking blocks from entries. Leaves out entries that have no other blocks. */
export function withoutThinking(entries: readonly ContextEntry[]): ContextEntry[] {
  return entries.flatMap((entry) => {
    if (!entry.blocks.some(isThinking)) return [entry];
    const blocks = entry.blocks.filter((block) => !isThinking(block));
    return blocks.length === 0 ? [] : [contextEntry("assistant", blocks, entry.seq)];
  });
}

/** Creates a context entry from the blocks of the event `seq`. */
export function contextEntry(role: ContextEntry["role"], blocks: ContentBlock[], seq: number): ContextEntry {
  const text = JSON.stringify(blocks);
  // The API refuses half of a surrogate pair.
  const sendable = hasLoneSurrogate(text) ? (withoutLoneSurrogates(blocks) as ContentBlock[]) : blocks;
  const hasServerTools = blocks.some((block) => isServerCall(block) || isServerResult(block));
  return {
    role,
    blocks: deepFreeze(sendable),
    chars: estimatedChars(blocks, text),
    seq,
    hasServerTools,
  };
}

/** Returns the blocks of a user message: its files, then its text. */
function messageBlocks(
  { message, files = [] }: EventData["user_message"],
  hookTags: readonly string[],
): ContentBlock[] {
  const textBlocks = isBlank(message) ? [] : [textBlock(escapeTags(message, hookTags))];
  if (files.length > 0) return [...files.map((file) => fileBlock(file, hookTags)), ...textBlocks];
  // A writer that bypasses the runtime may have stored a blank message. It would make all requests fail.
  return textBlocks.length > 0 ? textBlocks : [textBlock("(an empty message)")];
}

/** Returns what a request has of an event that is not a message, as a user block; an empty list for most. */
function otherBlocks(event: StoredEvent, tags: readonly string[]): ContentBlock[] {
  switch (event.type) {
    case "tool_result": {
      const { call_id, result, content = resultText(result), success } = event.data;
      const block: ContentBlock = { type: "tool_result", tool_use_id: call_id, content };
      return [success ? block : { ...block, is_error: true }];
    }
    case "knowledge": {
      const { source, data } = event.data;
      return [textBlock(wrapInTag(ownTagOf(event) ?? "knowledge", data, { attributes: { source }, tags }))];
    }
    case "artifact": {
      const { artifact_id, type, title, summary } = event.data;
      return [
        textBlock(wrapInTag("artifact", JSON.stringify({ artifact_id, type, title, summary }), { tags })),
      ];
    }
    case "output":
      return outputBlocks(event.data, tags);
    case "note":
      return [textBlock(wrapInTag(ownTagOf(event) ?? "note", event.data.text, { tags }))];
    default:
      return [];
  }
}

/**
 * Returns the model's feedback on its output. For a call of `final_answer`, this is the call's result.
 * Otherwise, it is a note if there is a problem.
 */
function outputBlocks({ call_id, problem }: EventData["output"], tags: readonly string[]): ContentBlock[] {
  if (call_id === undefined)
    return problem === undefined ? [] : [textBlock(wrapInTag("note", problem, { tags }))];
  const result: ContentBlock = { type: "tool_result", tool_use_id: call_id, content: problem ?? "Done." };
  return [problem === undefined ? result : { ...result, is_error: true }];
}

/** Returns the text that the model reads for a tool's return value if the tool does not format it. */
export function resultText(result: Json): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
