import { checkOptions, type OptionKinds, SIGNAL } from "../base/check-options.ts";
import { systemClock } from "../base/clock.ts";
import { withinDeadline } from "../base/deadline.ts";
import { addUsd } from "../base/usd.ts";
import { checkModel } from "./check-model.ts";
import type { ContentBlock } from "./content.ts";
import { longestAnswer } from "./estimate.ts";
import type { ModelClient, ModelRequest } from "./model-client.ts";
import { addUsage, costUsd, noUsage, type RawUsage, type Usage, usageFromWire } from "./pricing.ts";
import { contentOf, cutReply, newReply, type Reply, takeEvent } from "./reply.ts";
import { type UsageEstimates, usageSoFar } from "./usage-so-far.ts";

/** Options of `askModel()`. */
export interface AskOptions {
  /** Aborts the request. A model that ignores the signal is abandoned. */
  signal: AbortSignal;
  /**
   * Estimates token counts that the server does not send. Default: a missing count is 0, and an answer that
   * was cut counts as `maxTokens`.
   */
  estimates?: Pick<UsageEstimates, "estimatedTokens" | "estimateTokens">;
}

/** The outcome of a request, with the usage and cost of all its attempts. */
export interface AskOutcome {
  /** The answer's blocks, as far as they arrived. */
  content: ContentBlock[];
  /** Why the model stopped; `null` if it gave no reason. */
  stopReason: string | null;
  /** Id of the model that answered last, which may be a fallback. */
  model: string;
  /** Tokens of the request and of the answer. */
  usage: Usage;
  /** Cost in US dollars; 0 for a model without prices. */
  costUsd: number;
  /** What the server reported about the last attempt. */
  response: { id: string | null; model: string | null; stopSequence: string | null; usage: RawUsage };
  /**
   * Present if the request failed or was aborted. `cause` is the model's error or the signal's reason. The
   * other fields then describe the part of the answer that arrived.
   */
  failure?: { cause: unknown };
}

const REQUEST: OptionKinds<ModelRequest> = {
  system: "list!",
  tools: "list!",
  messages: "list!",
  maxTokens: "number!",
  toolChoice: "object",
};

const OPTIONS: OptionKinds<AskOptions> = { signal: { ...SIGNAL, required: true }, estimates: "object" };

/**
 * Sends one request to a model and returns its whole answer, e.g. from a hook. Cuts an answer that exceeds
 * `maxTokens`. Does not reject if the request fails, because it may have cost something: its error is in
 * `failure`.
 *
 * @throws PawlError `config` for unknown, missing and mistyped options.
 *
 * @example
 * ```ts
 * import { askModel } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Bonjour" }] });
 * const messages = [{ role: "user" as const, content: [{ type: "text", text: "Translate: good morning" }] }];
 * const request = { system: [], tools: [], messages, maxTokens: 100 };
 * const { content, stopReason } = await askModel(model, request, { signal: AbortSignal.timeout(10_000) });
 * console.log(content[0]?.text, stopReason); // Bonjour end_turn
 * ```
 */
export async function askModel(
  model: ModelClient,
  request: ModelRequest,
  options: AskOptions,
): Promise<AskOutcome> {
  checkModel("The first argument of askModel()", model);
  checkOptions("The request of askModel()", request, REQUEST);
  checkOptions("The third argument of askModel()", options, OPTIONS);
  const { signal, estimates } = options;
  const { maxTokens } = request;
  const maxChars = longestAnswer(maxTokens, estimates?.estimateTokens);
  let answer = newReply();
  let { id, pricing } = model;
  let usage = noUsage;
  let cost = 0;
  const charge = () => {
    // An attempt that failed before its answer began cost nothing.
    if (answer.id === null && !answer.finished) return;
    const fresh = estimates ? usageSoFar(answer, { ...estimates, maxTokens }) : countedBy(answer, maxTokens);
    usage = addUsage(usage, fresh);
    if (pricing !== undefined) cost = addUsd(cost, costUsd(fresh, pricing));
  };
  const read = async () => {
    signal.throwIfAborted();
    for await (const event of model.stream(request, { signal })) {
      // An abandoned model may keep sending events.
      signal.throwIfAborted();
      takeEvent(answer, event);
      if (answer.chars > maxChars) return cutReply(answer);
      if (event.type !== "attempt_failed") continue;
      charge();
      answer = newReply();
      if (event.model !== undefined) ({ model: id, pricing } = event);
    }
  };
  // Without a time limit, the clock is never used.
  const failure = await withinDeadline({ clock: systemClock, signal }, read()).then(
    () => undefined,
    (cause: unknown) => ({ cause }),
  );
  charge();
  const { stopReason, stopSequence } = answer;
  return {
    content: contentOf(answer),
    stopReason,
    model: id,
    usage,
    costUsd: cost,
    response: { id: answer.id, model: answer.model, stopSequence, usage: answer.usage },
    ...(failure && { failure }),
  };
}

function countedBy({ usage, cut }: Reply, maxTokens: number): Usage {
  return usageFromWire(cut ? { ...usage, output_tokens: maxTokens } : usage);
}
