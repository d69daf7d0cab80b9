import type { RawUsage } from "@pawl/core/model";
import { currentModels, limitsOf, type ModelLimits } from "../base/model-limits.ts";
import { type AskedOutput, type Reply, randomId, replyBlocks, stopReasonOf } from "../base/reply.ts";
import { replyEvents, replyMessage, type WireEvent } from "../base/reply-events.ts";
import { type RuleContext, replyFrom } from "../base/rules.ts";
import type { Judge, Rejection } from "../base/wire.ts";
import { asBlocks, type ParsedRequest } from "../base/wire-request.ts";
import { lastBlocks, pausedTurns } from "./state/paused-turns.ts";
import { estimateTokens, promptCache } from "./state/prompt-cache.ts";
import { isThought, sealReply } from "./state/thinking-seal.ts";
import { defaultSecret, judge, type ValidateOptions } from "./validate/validate.ts";

/**
 * A function that returns the reply to each valid request. If it depends only on its arguments, it also works
 * for concurrent sessions, and after a restart of the simulator.
 */
export type Rules = (request: ParsedRequest, context: RuleContext) => Reply | Promise<Reply>;

/** Options of a simulated model, over HTTP or in process. */
export interface SimulatorOptions extends ValidateOptions {
  /** The replies, one for each valid request, in order. Default: none; the first request fails. */
  script?: readonly Reply[];
  /** Returns the reply to each request, instead of a script: `(request, { n, turn, input }) => reply`. */
  rules?: Rules;
  /**
   * Returns the time in milliseconds since 1970, which decides when cached prefixes expire. Default:
   * `Date.now`.
   */
  now?: () => number;
  /** Returns a new id with this prefix, for messages, requests and tool calls. Default: random ids. */
  newId?: (prefix: string) => string;
}

export type Simulator = Judge<WireEvent>;

/**
 * Creates the simulator behind the HTTP server and the in-process model: validation, script, signatures and
 * usage.
 */
export function simulator(whose: string, options: SimulatorOptions): Simulator {
  const { models = currentModels, secret = defaultSecret, now = Date.now, newId = randomId } = options;
  const next = replyFrom(whose, options);
  const cache = promptCache();
  const paused = pausedTurns();
  const rejected: Rejection[] = [];
  let n = 0;
  return {
    rejected,
    newId,
    async answer(body) {
      const error = judge(body, options, paused);
      if (error !== undefined) {
        rejected.push({ error, body });
        return error;
      }
      const request = body as ParsedRequest;
      const limits = limitsOf(request.model, models) as ModelLimits;
      const started = now();
      const context = { n, ...conversation(request) };
      n += 1;
      const reply = warmUp(request) ?? (await next(request, context));
      const shown = replyBlocks(reply, newId, askedOutput(request)).map((block) =>
        block.type === "thinking" && !showsThinking(request, limits) ? { ...block, thinking: "" } : block,
      );
      const blocks = sealReply(request, shown, secret);
      if (stopReasonOf(reply, blocks) === "pause_turn")
        paused.add([...lastBlocks(request.messages), ...blocks]);
      const plan = cache.plan(request, limits, started);
      const usage: RawUsage = { ...plan.usage, output_tokens: outputTokens(reply, blocks), ...reply.usage };
      const head = { id: newId("msg_01"), model: request.model, usage };
      return {
        reply,
        events: replyEvents(reply, blocks, head),
        message: replyMessage(reply, blocks, head),
        begin: plan.commit,
      };
    },
  };
}

/**
 * Returns the reply to a request with `max_tokens: 0`, which only fills the cache. The script is not used for
 * it.
 */
function warmUp(request: ParsedRequest): Reply | undefined {
  return request.max_tokens === 0 ? { content: [], stop: "max_tokens" } : undefined;
}

/** Returns what a request says about the output of its agent. */
function askedOutput({ output_config, tools = [] }: ParsedRequest): AskedOutput {
  const { format } = Object(output_config) as { format?: { schema?: unknown } | null };
  const tool = tools.find(({ name }) => name === "final_answer");
  return { format: format?.schema, tool: tool?.input_schema };
}

function showsThinking(request: ParsedRequest, limits: ModelLimits): boolean {
  return (request.thinking?.display ?? limits.thinkingDisplay) === "summarized";
}

function outputTokens(reply: Reply, blocks: ReturnType<typeof replyBlocks>): number {
  const thought = reply.thinking === undefined ? 0 : estimateTokens(reply.thinking);
  return blocks
    .filter((block) => !isThought(block))
    .reduce((sum, block) => sum + estimateTokens(block), thought);
}

function conversation(request: ParsedRequest): { turn: number; input: string } {
  const asked = request.messages.findLastIndex(
    ({ role, content }) => role === "user" && asBlocks(content).some((block) => block.type === "text"),
  );
  const texts = asBlocks(request.messages[asked]?.content ?? "").filter((block) => block.type === "text");
  return {
    turn: request.messages.slice(asked + 1).filter(({ role }) => role === "assistant").length,
    input: String(texts.at(-1)?.text ?? ""),
  };
}
