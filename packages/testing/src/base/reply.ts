import type { ContentBlock, Json } from "@pawl/core";
import type { RawUsage } from "@pawl/core/model";

/** A tool call in a scripted answer. */
export interface ReplyTool {
  /** Name of the tool to call. */
  name: string;
  /** The call's input. */
  input?: Json;
  /** The call's id. Default: a new id. */
  id?: string;
}

/** A way for an answer to fail. Numbers of events include `message_start` and pings. */
export type Fault =
  /** The response is an error, and nothing is streamed. `retryAfter` is in seconds. */
  | { status: number; type?: string; message?: string; errorCode?: string; retryAfter?: number }
  /**
   * The stream has an `error` event of this type after `afterEvents` events (default: 3). `overloaded` is
   * short for `overloaded_error`.
   */
  | { midStream: string; afterEvents?: number }
  /** The connection breaks after this many events. With `end: true`, it is closed properly instead. */
  | { cut: number; end?: boolean }
  /** The stream falls silent after this many events, until the client disconnects. */
  | { stall: number };

/**
 * A scripted answer of the model to one request. Its content is thinking, text and tool calls, in this order;
 * `content` sets the blocks one by one instead.
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
  /** A thinking block before the text. */
  thinking?: string;
  /** The text. */
  text?: string;
  /** Tool calls after the text. */
  tools?: readonly ReplyTool[];
  /**
   * The output of an agent with an `output`, after the text: as JSON text if the request has an output
   * format, or else as a call of the tool `final_answer`. A request without both gets the text.
   */
  output?: Json;
  /** All blocks of the answer, in place of `thinking`, `text` and `tools`. */
  content?: readonly { type: string; [key: string]: Json | undefined }[];
  /**
   * The stop reason. Default: `tool_use` if the answer has a tool call, otherwise `end_turn`.
   *
   * - `null`: the answer ends without a stop reason.
   * - `pause_turn`: the next request may end with this answer, unchanged. To script tools that run on the
   *   API's side, use `content`.
   */
  stop?: string | null;
  /** The stop sequence that was matched, for `stop: "stop_sequence"`. */
  stopSequence?: string;
  /** The answer's usage. Default: counted from the prompt and the answer. */
  usage?: RawUsage;
  /**
   * Cuts off the last block after this many characters of its text, or of its input as JSON. The stop reason
   * is then `max_tokens` by default, and a tool call that was cut has no `content_block_stop`.
   */
  clip?: number;
  /** How the answer fails. Default: it does not. */
  fault?: Fault;
  /** About how many pieces each text is streamed in. Default: 24, with at least eight characters each. */
  deltas?: number;
  /** Milliseconds before the answer begins. */
  latencyMs?: number;
  /** Milliseconds before each event. */
  delayPerEventMs?: number;
}

/** What a request says about the output of its agent. */
export interface AskedOutput {
  /** The JSON Schema of the output format; `undefined` without one. */
  format?: unknown;
  /** The JSON Schema of the input of `final_answer`; `undefined` without that tool. */
  tool?: unknown;
}

/** Returns the blocks of a scripted output. */
function outputBlocks(
  output: Json | undefined,
  newId: (prefix: string) => string,
  { format, tool }: AskedOutput,
): ContentBlock[] {
  if (output === undefined) return [];
  const fields = Object((Object(format ?? tool) as { properties?: object }).properties);
  const isWrapped = Object.keys(fields).join() === "value" && !Object.hasOwn(Object(output), "value");
  const whole = isWrapped ? { value: output } : output;
  if (format !== undefined || tool === undefined) return [{ type: "text", text: JSON.stringify(whole) }];
  return [{ type: "tool_use", id: newId("toolu_01"), name: "final_answer", input: structuredClone(whole) }];
}

/**
 * Returns the content of a reply as blocks. `newId` makes the missing ids of tool calls. `asked` is what the
 * request says about the output.
 */
export function replyBlocks(
  reply: Reply,
  newId: (prefix: string) => string,
  asked: AskedOutput = {},
): ContentBlock[] {
  if (reply.content !== undefined)
    return reply.content.map((block) => structuredClone(block) as ContentBlock);
  const blocks: ContentBlock[] = [];
  if (reply.thinking !== undefined)
    blocks.push({ type: "thinking", thinking: reply.thinking, signature: "" });
  if (reply.text !== undefined && reply.text !== "") blocks.push({ type: "text", text: reply.text });
  for (const { name, input = {}, id = newId("toolu_01") } of reply.tools ?? [])
    blocks.push({ type: "tool_use", id, name, input: structuredClone(input) });
  return [...blocks, ...outputBlocks(reply.output, newId, asked)];
}

/** Returns the stop reason that is sent for a reply. */
export function stopReasonOf(reply: Reply, blocks: readonly ContentBlock[]): string | null {
  if (reply.stop !== undefined) return reply.stop;
  if (reply.clip !== undefined) return "max_tokens";
  return blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
}

/** Returns a random id like the API's: the prefix and 22 characters. */
export function randomId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "").slice(0, 22);
}
