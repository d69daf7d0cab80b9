import { systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import type { PawlError } from "../base/errors.ts";
import { addUsd } from "../base/usd.ts";
import { type ContentBlock, isToolUse } from "./content.ts";
import { longestAnswer } from "./estimate.ts";
import type { ModelClient, ModelRequest } from "./model-client.ts";
import { addUsage, costUsd, noUsage, type RawUsage, type Usage, usageFromWire } from "./pricing.ts";
import { contentOf, cutReply, newReply, type Reply, takeEvent } from "./reply.ts";
import { isUseSoFar, type UsageEstimates, unknownFieldErrors, usageSoFar } from "./usage-so-far.ts";

/** Options of `wholeAnswer()`. */
interface WholeAnswerOptions {
  /** Aborts the request. A model that ignores the signal is abandoned. */
  signal: AbortSignal;
  /** Returns how much time is left, in milliseconds, see `StreamOptions`. */
  timeLeftMs?: (() => number) | undefined;
  /** For which user the request is sent, see `StreamOptions`. */
  userId?: string | undefined;
  /**
   * Estimates token counts that the server does not send. Default: a missing count is 0, and an answer that
   * was cut counts as `maxTokens`.
   */
  estimates?: Pick<UsageEstimates, "estimatedTokens" | "estimateTokens">;
  /**
   * Called with the use so far when the answer reports it while it streams, and after each failed attempt.
   */
  onUse?: ((used: Pick<WholeAnswer, "usage" | "costUsd">) => void) | undefined;
}

/** The outcome of a request, with the usage and cost of all its attempts. */
export interface WholeAnswer {
  /** The answer's blocks, as far as they arrived. */
  content: ContentBlock[];
  /** Whether a call's input is incomplete or not a JSON object. */
  isBroken: boolean;
  /** Why the model stopped; `null` if it gave no reason. */
  stopReason: string | null;
  /** Id of the model that answered last, which may be a fallback. */
  model: string;
  /** Tokens of the prompts and answers of all attempts. */
  usage: Usage;
  /** Cost of all attempts in US dollars; 0 for a model without prices. */
  costUsd: number;
  /** What the application should know about the attempts: the fields of their usage that are not known. */
  toFix: PawlError[];
  /** What the server reported about the last attempt. */
  response: { id: string | null; model: string | null; stopSequence: string | null; usage: RawUsage };
  /**
   * Present if the request failed or was aborted. `cause` is the model's error or the signal's reason. The
   * other fields then describe the part of the answer that arrived.
   */
  failure?: { cause: unknown };
}

/**
 * Sends one request to a model and returns its whole answer. Cuts an answer that exceeds `maxTokens`. Never
 * rejects: a failed request may have cost something too, so its error is in `failure`.
 */
export async function wholeAnswer(
  model: ModelClient,
  request: ModelRequest,
  { signal, timeLeftMs, userId, estimates, onUse }: WholeAnswerOptions,
): Promise<WholeAnswer> {
  const { maxTokens } = request;
  const maxChars = longestAnswer(maxTokens, estimates?.estimateTokens);
  let answer = newReply();
  let { id, pricing } = model;
  let used = { usage: noUsage, costUsd: 0 };
  const toFix: PawlError[] = [];
  /** Returns the usage and cost with those of the current attempt. */
  const usedSoFar = () => {
    // An attempt that failed before its answer began cost nothing.
    if (!answer.begun && !answer.finished) return used;
    const attemptUsage = estimates
      ? usageSoFar(answer, { ...estimates, maxTokens })
      : reportedUsage(answer, maxTokens);
    const attemptUsd = pricing === undefined ? 0 : costUsd(attemptUsage, pricing);
    return { usage: addUsage(used.usage, attemptUsage), costUsd: addUsd(used.costUsd, attemptUsd) };
  };
  const charge = () => {
    used = usedSoFar();
    toFix.push(...unknownFieldErrors(answer.usage));
  };
  const reportUse = (usedNow: typeof used) => {
    onUse?.(usedNow);
    // `onUse` may have aborted the request.
    signal.throwIfAborted();
  };
  const callOptions = {
    signal,
    ...(timeLeftMs && { timeLeftMs }),
    ...(userId !== undefined && { userId }),
  };
  const readEvents = async () => {
    signal.throwIfAborted();
    for await (const event of model.stream(request, callOptions)) {
      // An abandoned model may keep sending events.
      signal.throwIfAborted();
      takeEvent(answer, event);
      if (answer.chars > maxChars) return cutReply(answer);
      if (isUseSoFar(answer, event)) reportUse(usedSoFar());
      if (event.type !== "attempt_failed") continue;
      charge();
      answer = newReply();
      reportUse(used);
      if (event.model !== undefined) ({ model: id, pricing } = event);
    }
  };
  // Rejects when the signal is aborted. Without a time limit, the clock is not used.
  const failure = await withinDeadline({ clock: systemClock, signal }, readEvents()).then(
    () => undefined,
    (cause: unknown) => ({ cause }),
  );
  charge();
  const { stopReason, stopSequence } = answer;
  return {
    content: contentOf(answer),
    isBroken: answer.blocks.some(
      ({ block, complete, invalid }) => isToolUse(block) && (!complete || invalid !== undefined),
    ),
    stopReason,
    model: id,
    ...used,
    toFix,
    response: { id: answer.id, model: answer.model, stopSequence, usage: answer.usage },
    ...(failure && { failure }),
  };
}

/** Returns the usage that the server has reported. An answer that was cut counts as `maxTokens`. */
function reportedUsage({ usage, cut }: Reply, maxTokens: number): Usage {
  return usageFromWire(cut ? { ...usage, output_tokens: maxTokens } : usage);
}
