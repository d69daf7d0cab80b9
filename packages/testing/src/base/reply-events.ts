import type { ContentBlock, Json } from "@pawl/core";
import type { ContentDelta, RawUsage } from "@pawl/core/model";
import { type Reply, stopReasonOf } from "./reply.ts";
import { split } from "./split.ts";
import { isObject } from "./wire-request.ts";

/** One event of a streamed response. */
export interface WireEvent {
  type: string;
  [field: string]: unknown;
}

/** The facts about a message that are known before its content. */
export interface MessageHead {
  id: string;
  model: string;
  /** The usage that the prompt causes. `output_tokens` is the final number of the whole answer. */
  usage: RawUsage;
}

const ping: WireEvent = { type: "ping" };

/**
 * Returns the events with which the Messages API streams an answer. As in the real API, `message_delta` has
 * the total usage, and the first piece of a tool's input is empty. A ping follows the first block's start,
 * and then every 40th event.
 */
export function replyEvents(reply: Reply, blocks: readonly ContentBlock[], head: MessageHead): WireEvent[] {
  const events: WireEvent[] = [{ type: "message_start", message: startOf(head) }];
  let sincePing = 0;
  const push = (event: WireEvent): void => {
    events.push(event);
    sincePing += 1;
    if (event.type === "content_block_start" && event.index === 0) sincePing = 40;
    if (sincePing < 40) return;
    events.push(ping);
    sincePing = 0;
  };
  for (const [index, block] of blocks.entries()) {
    const clip = index === blocks.length - 1 ? reply.clip : undefined;
    push({ type: "content_block_start", index, content_block: startBlock(block) });
    for (const delta of clipped(deltasOf(block, reply.deltas), clip))
      push({ type: "content_block_delta", index, delta: { ...delta } });
    // A clipped call gets no stop event: clients must not take it for complete.
    if (clip === undefined || block.type !== "tool_use") push({ type: "content_block_stop", index });
  }
  events.push({
    type: "message_delta",
    delta: {
      stop_reason: stopReasonOf(reply, blocks),
      stop_sequence: reply.stopSequence ?? null,
      stop_details: null,
      container: null,
    },
    usage: deltaUsage(head.usage),
  });
  events.push({ type: "message_stop" });
  return events;
}

/** Returns an answer as one JSON message, for requests without streaming. */
export function replyMessage(
  reply: Reply,
  blocks: readonly ContentBlock[],
  head: MessageHead,
): { [field: string]: unknown } {
  const last = blocks.at(-1);
  const whole = last !== undefined && reply.clip !== undefined ? blocks.slice(0, -1) : blocks;
  const rest =
    last === undefined || whole === blocks
      ? []
      : [last.type === "text" ? { ...last, text: String(last.text).slice(0, reply.clip) } : startBlock(last)];
  return {
    ...startOf(head),
    content: [...whole.map(finished), ...rest],
    stop_reason: stopReasonOf(reply, blocks),
    stop_sequence: reply.stopSequence ?? null,
    usage: { ...startUsage(head.usage), output_tokens: head.usage.output_tokens ?? 0 },
  };
}

function startOf(head: MessageHead): { [field: string]: unknown } {
  return {
    model: head.model,
    id: head.id,
    type: "message",
    role: "assistant",
    content: [],
    container: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...startUsage(head.usage), output_tokens: Math.min(head.usage.output_tokens ?? 0, 2) },
    diagnostics: null,
  };
}

function startUsage(usage: RawUsage): { [field: string]: unknown } {
  return {
    input_tokens: usage.input_tokens ?? 0,
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    cache_creation: usage.cache_creation ?? { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    service_tier: "standard",
    inference_geo: "not_available",
  };
}

function deltaUsage(usage: RawUsage): { [field: string]: unknown } {
  return {
    input_tokens: usage.input_tokens ?? 0,
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
  };
}

/** Returns a block as in `content_block_start`: the parts that will be streamed are empty. */
function startBlock(block: ContentBlock): ContentBlock {
  if (block.type === "text") return { ...block, text: "", ...(isCited(block) && { citations: [] }) };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  if (block.type === "tool_use") return { ...finished(block), input: {} };
  return block.type === "server_tool_use" ? { ...block, input: {} } : block;
}

function finished(block: ContentBlock): ContentBlock {
  return block.type === "tool_use" && !("caller" in block) ? { ...block, caller: { type: "direct" } } : block;
}

function isCited({ citations }: ContentBlock): boolean {
  return Array.isArray(citations) && citations.length > 0;
}

function citationDeltas({ citations }: ContentBlock): ContentDelta[] {
  return ((citations ?? []) as Json[]).map((citation) => ({ type: "citations_delta", citation }));
}

function deltasOf(block: ContentBlock, deltas: number | undefined): ContentDelta[] {
  switch (block.type) {
    case "text":
      return [
        ...citationDeltas(block),
        ...split(String(block.text), deltas).map((text) => ({ type: "text_delta", text })),
      ];
    case "thinking":
      return [
        ...split(String(block.thinking), deltas).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: String(block.signature) },
      ];
    case "tool_use":
    case "server_tool_use":
      return inputPieces(block.input ?? {}).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
    default:
      return [];
  }
}

/** Returns the deltas up to `clip` characters. The last one is shortened if needed. */
function clipped(deltas: ContentDelta[], clip: number | undefined): ContentDelta[] {
  if (clip === undefined) return deltas;
  const kept: ContentDelta[] = [];
  let left = clip;
  for (const delta of deltas) {
    const size = (delta.text ?? delta.partial_json ?? "").length;
    if (size > 0 && left === 0) break;
    const part: ContentDelta = { ...delta };
    if (part.text !== undefined) part.text = part.text.slice(0, left);
    if (part.partial_json !== undefined) part.partial_json = part.partial_json.slice(0, left);
    kept.push(part);
    left = Math.max(0, left - size);
  }
  return kept;
}

/** Returns the pieces of a tool's input: an empty one, then one for each key with its value. */
export function inputPieces(input: Json): string[] {
  if (!isObject(input)) return ["", JSON.stringify(input)];
  const entries = Object.entries(input);
  if (entries.length === 0) return ["", "{}"];
  const parts = entries.map(
    ([key, value], n) => `${n === 0 ? "{" : ", "}${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return ["", ...parts, "}"];
}
