import type { ContentBlock, Json } from "@pawl/core";
import type { RawUsage } from "@pawl/core/model";

/** A call the scripted model makes. */
export interface ReplyTool {
  name: string;
  input?: Json;
  /** Unique and made up when absent. */
  id?: string;
}

/** How an answer goes wrong. Event counts include `message_start` and pings. */
export type Fault =
  /** The answer is an error and nothing is streamed. `retryAfter` is in seconds. */
  | { status: number; type?: string; message?: string; errorCode?: string; retryAfter?: number }
  /** An `error` event after `afterEvents` events (default 3). `overloaded` stands for `overloaded_error`. */
  | { midStream: string; afterEvents?: number }
  /** The connection is lost after that many events; with `end: true` it is closed in order instead. */
  | { cut: number; end?: boolean }
  /** That many events, then silence until the client goes away. */
  | { stall: number };

/**
 * What the model answers to one call. Blocks come in the order thinking, text, tool calls; `content` replaces
 * them all with explicit blocks.
 *
 * @example
 * ```ts
 * import type { Reply } from "@pawl/testing";
 *
 * const replies: Reply[] = [
 *   { text: "Let me look.", tools: [{ name: "get_weather", input: { city: "Oslo" } }] },
 *   { text: "It rains in Oslo." },
 * ];
 * ```
 */
export interface Reply {
  thinking?: string;
  text?: string;
  tools?: readonly ReplyTool[];
  content?: readonly ContentBlock[];
  /**
   * `tool_use` when the answer holds a tool call, `end_turn` when not. After `pause_turn` the next request
   * may end with this answer, unchanged; tools that run on the server are scripted by `content`. With `null`
   * the answer ends without saying why.
   */
  stop?: string | null;
  /** The sequence that was met, for `stop: "stop_sequence"`. */
  stopSequence?: string;
  /** Replaces what would have been counted. */
  usage?: RawUsage;
  /**
   * Cuts the last block after that many characters (of its text, or of the JSON of its input) and stops with
   * `max_tokens`, unless `stop` says otherwise. A cut tool call has no `content_block_stop`.
   */
  clip?: number;
  fault?: Fault;
  /** In about how many pieces each text comes. Default: 24 of eight characters and more. */
  deltas?: number;
  /** Milliseconds before the answer begins. */
  latencyMs?: number;
  /** Milliseconds before each event. */
  delayPerEventMs?: number;
}

/** The whole content of `reply` as blocks, tool ids filled in by `newId`. */
export function replyBlocks(reply: Reply, newId: (prefix: string) => string): ContentBlock[] {
  if (reply.content !== undefined) return reply.content.map((block) => structuredClone(block));
  const blocks: ContentBlock[] = [];
  if (reply.thinking !== undefined)
    blocks.push({ type: "thinking", thinking: reply.thinking, signature: "" });
  if (reply.text !== undefined && reply.text !== "") blocks.push({ type: "text", text: reply.text });
  for (const { name, input = {}, id = newId("toolu_01") } of reply.tools ?? [])
    blocks.push({ type: "tool_use", id, name, input: structuredClone(input) });
  return blocks;
}

/** Why the answer ends, as the wire says it. */
export function stopReasonOf(reply: Reply, blocks: readonly ContentBlock[]): string | null {
  if (reply.stop !== undefined) return reply.stop;
  if (reply.clip !== undefined) return "max_tokens";
  return blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
}

/** An id like those of the API: the prefix and 22 characters. */
export function randomId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "").slice(0, 22);
}
