import type { ContentBlock } from "@pawl/core";
import type { RawUsage } from "@pawl/core/model";
import type { Reply } from "../base/reply.ts";
import { stopReasonOf } from "../base/reply.ts";
import { inputPieces } from "../base/reply-events.ts";
import { split } from "../base/split.ts";
import type { ChatEvent } from "./chat-wire.ts";

/** The facts about a completion that are known before its content. */
export interface ChatHead {
  id: string;
  /** When the completion was created, in seconds since 1970. */
  created: number;
  model: string;
  usage: RawUsage;
  /** Whether the last chunk has the usage. */
  includesUsage: boolean;
}

type Delta = { [field: string]: unknown };

/**
 * Returns the chunks with which OpenAI streams an answer: role, text, calls, finish reason, usage, `[DONE]`.
 */
export function chatChunks(reply: Reply, blocks: readonly ContentBlock[], head: ChatHead): ChatEvent[] {
  const chunk = (choices: unknown[], more: object = {}): ChatEvent => ({
    id: head.id,
    object: "chat.completion.chunk",
    created: head.created,
    model: head.model,
    service_tier: "default",
    system_fingerprint: "fp_pawl",
    choices,
    ...(head.includesUsage && { usage: null }),
    ...more,
  });
  const choice = (delta: Delta, finish_reason: string | null = null): ChatEvent =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  return [
    choice({ role: "assistant", content: speaks(reply, blocks) ? "" : null, refusal: null }),
    ...deltasOf(reply, blocks).map((delta) => choice(delta)),
    choice({}, finishReasonOf(reply, blocks)),
    ...(head.includesUsage ? [chunk([], { usage: chatUsage(head.usage) })] : []),
    "[DONE]",
  ];
}

/** Returns an answer as one JSON completion, for requests without streaming. */
export function chatCompletion(
  reply: Reply,
  blocks: readonly ContentBlock[],
  head: ChatHead,
): { [field: string]: unknown } {
  const message: Delta = { role: "assistant", content: null, refusal: null };
  const calls: { id: unknown; type: string; function: { name: unknown; arguments: string } }[] = [];
  for (const { content, refusal, tool_calls } of deltasOf(reply, blocks)) {
    if (content !== undefined) message.content = `${message.content ?? ""}${content}`;
    if (refusal !== undefined) message.refusal = `${message.refusal ?? ""}${refusal}`;
    for (const { index, id, function: part } of (tool_calls ?? []) as CallDelta[]) {
      const call = calls[index];
      if (call === undefined) calls[index] = { id, type: "function", function: { ...part, name: part.name } };
      else call.function.arguments += part.arguments;
    }
  }
  if (calls.length > 0) message.tool_calls = calls;
  return {
    id: head.id,
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(reply, blocks) ?? "stop" }],
    usage: chatUsage(head.usage),
    service_tier: "default",
    system_fingerprint: "fp_pawl",
  };
}

interface CallDelta {
  index: number;
  id?: string;
  function: { name?: string; arguments: string };
}

/**
 * Returns the deltas of an answer. Chat Completions has no thinking, so it is left out. A refusal has a field
 * of its own.
 */
function deltasOf(reply: Reply, blocks: readonly ContentBlock[]): Delta[] {
  const field = reply.stop === "refusal" ? "refusal" : "content";
  let calls = 0;
  return blocks.flatMap((block, at) => {
    const clip = at === blocks.length - 1 ? reply.clip : undefined;
    if (block.type === "text")
      return split(String(block.text).slice(0, clip), reply.deltas).map((text) => ({ [field]: text }));
    if (block.type !== "tool_use") return [];
    calls += 1;
    return callDeltas(block, calls - 1, clip);
  });
}

function callDeltas({ id, name, input }: ContentBlock, index: number, clip: number | undefined): Delta[] {
  const whole = inputPieces(input ?? {}).join("");
  const first = { index, id, type: "function", function: { name, arguments: "" } };
  const pieces = split(whole.slice(0, clip), undefined);
  return [
    { tool_calls: [first] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  // A refusal has the same finish reason as an answer.
  ["refusal", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
]);

function finishReasonOf(reply: Reply, blocks: readonly ContentBlock[]): string | null {
  const stop = stopReasonOf(reply, blocks);
  return stop === null ? null : (reasons.get(stop) ?? stop);
}

function speaks({ stop }: Reply, blocks: readonly ContentBlock[]): boolean {
  return stop !== "refusal" && blocks.some(({ type }) => type === "text");
}

/** Converts usage to OpenAI's format, in which the prompt's tokens include cached ones. */
function chatUsage(usage: RawUsage): object {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const prompt_tokens = (usage.input_tokens ?? 0) + read + written;
  const completion_tokens = usage.output_tokens ?? 0;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: read, audio_tokens: 0, cache_write_tokens: written },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
