import type { ContentBlock, Json } from "@pawl/core";
import type { RawUsage } from "@pawl/core/model";

/** A tool call of the scripted model. */
export interface ReplyTool {
  name: string;
  input?: Json;
  /** The call's id. Default: a new one. */
  id?: string;
}

/** How an answer fails. Event counts include `message_start` and pings. */
export type Fault =
  /** The answer is an error and nothing is streamed. `retryAfter` is in seconds. */
  | { status: number; type?: string; message?: string; errorCode?: string; retryAfter?: number }
  /** An `error` event after `afterEvents` events (default 3). `overloaded` stands for `overloaded_error`. */
  | { midStream: string; afterEvents?: number }
  /** The connection breaks after that many events; with `end: true` it is closed properly instead. */
  | { cut: number; end?: boolean }
  /** That many events, then silence until the client disconnects. */
  | { stall: number };

/**
 * An answer of the model to one request. Its blocks are thinking, text and tool calls, in this order;
 * `content` replaces them with explicit blocks.
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
   * The stop reason. Default: `tool_use` if the answer has a tool call, or else `end_turn`. After
   * `pause_turn` the next request may end with this answer, unchanged; tools that run on the server are
   * scripted by `content`. With `null` the answer ends without a stop reason.
   */
  stop?: string | null;
  /** The matched sequence, for `stop: "stop_sequence"`. */
  stopSequence?: string;
  /** Replaces the counted usage. */
  usage?: RawUsage;
  /**
   * Cuts the last block after that many characters (of its text, or of the JSON of its input) and stops with
   * `max_tokens`, unless `stop` says otherwise. A cut tool call has no `content_block_stop`.
   */
  clip?: number;
  fault?: Fault;
  /** About how many pieces each text has. Default: 24, of eight characters and more. */
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

/** The stop reason on the wire. */
export function stopReasonOf(reply: Reply, blocks: readonly ContentBlock[]): string | null {
  if (reply.stop !== undefined) return reply.stop;
  if (reply.clip !== undefined) return "max_tokens";
  return blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
}

/** An id like those of the API: the prefix and 22 characters. */
export function randomId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "").slice(0, 22);
}
