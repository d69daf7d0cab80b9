import type { RawUsage } from "@pawl/core/model";
import { type AskedOutput, type Reply, randomId, replyBlocks } from "../base/reply.ts";
import { type RuleContext, replyFrom } from "../base/rules.ts";
import type { Judge, Rejection } from "../base/wire.ts";
import { estimateTokens } from "../messages/state/prompt-cache.ts";
import { chatChunks, chatCompletion } from "./chat-chunks.ts";
import { type ChatRequest, chatText } from "./chat-request.ts";
import type { ChatEvent } from "./chat-wire.ts";
import { prefixCache } from "./prefix-cache.ts";
import { validateChatRequest } from "./validate-chat.ts";

/**
 * A function that returns the reply to each valid request. If it depends only on its arguments, it also works
 * for concurrent sessions, and after a restart of the simulator.
 */
export type ChatRules = (request: ChatRequest, context: RuleContext) => Reply | Promise<Reply>;

/** Options of a simulated chat model. */
export interface ChatSimulatorOptions {
  /** The replies, one for each valid request, in order. Default: none; the first request fails. */
  script?: readonly Reply[];
  /** Returns the reply to each request, instead of a script: `(request, { n, turn, input }) => reply`. */
  rules?: ChatRules;
  /** Returns the time in milliseconds since 1970, for the completions' `created`. Default: `Date.now`. */
  now?: () => number;
  /** Returns a new id with this prefix, for completions, requests and tool calls. Default: random ids. */
  newId?: (prefix: string) => string;
}

export function chatSimulator(whose: string, options: ChatSimulatorOptions): Judge<ChatEvent> {
  const { now = Date.now, newId = randomId } = options;
  const next = replyFrom<ChatRequest>(whose, options);
  const cache = prefixCache();
  const rejected: Rejection[] = [];
  let n = 0;
  return {
    rejected,
    newId,
    async answer(body) {
      const error = validateChatRequest(body);
      if (error !== undefined) {
        rejected.push({ error, body });
        return error;
      }
      const request = body as ChatRequest;
      const context = { n, ...conversation(request) };
      n += 1;
      const reply = await next(request, context);
      const blocks = replyBlocks(reply, () => newId("call_"), askedOutput(request));
      const { tokens, cached } = cache.take(request);
      const usage: RawUsage = {
        input_tokens: tokens - cached,
        cache_read_input_tokens: cached,
        output_tokens: blocks.reduce((sum, block) => sum + estimateTokens(block), 0),
        ...reply.usage,
      };
      const head = {
        id: newId("chatcmpl-"),
        created: Math.floor(now() / 1000),
        model: request.model,
        usage,
        includesUsage: request.stream_options?.include_usage === true,
      };
      return {
        reply,
        events: chatChunks(reply, blocks, head),
        message: chatCompletion(reply, blocks, head),
        begin: () => undefined,
      };
    },
  };
}

/** Returns what a request says about the output of its agent. */
function askedOutput({ response_format, tools = [] }: ChatRequest): AskedOutput {
  const { json_schema } = Object(response_format) as { json_schema?: { schema?: unknown } };
  const tool = tools.find((one) => one.function.name === "final_answer");
  return { format: json_schema?.schema, tool: tool?.function.parameters };
}

function conversation({ messages }: ChatRequest): { turn: number; input: string } {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[asked];
  return {
    turn: messages.slice(asked + 1).filter(({ role }) => role === "assistant").length,
    input: last === undefined ? "" : chatText(last),
  };
}
