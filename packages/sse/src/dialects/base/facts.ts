import { type SessionEvent, type TokenUsage, usdFromCents } from "@pawl/core";
import { addUsd } from "@pawl/core/store";
import { runMessageId, userMessageId, type ViewState } from "@pawl/core/view";

/** The model that wrote a message, and the tokens used for it. */
export interface MessageSpending {
  /** Id of the model that answered; `undefined` if unknown. */
  model: string | undefined;
  /** Tokens of the message's requests. */
  tokens: TokenUsage;
  /** Their cost in US dollars; 0 if the model has no prices. */
  costUsd: number;
}

/** Facts about a session's messages that a reloaded page shows but the view lacks. */
export interface ThreadFacts {
  /** Model and usage of each message, keyed by message id. */
  spent: Map<string, MessageSpending>;
  /** When each message was sent or begun, keyed by message id: ISO 8601, UTC. */
  begun: Map<string, string>;
  /** Ids of runs that left the session in status `error`. */
  failed: Set<string>;
}

export function newFacts(): ThreadFacts {
  return { spent: new Map(), begun: new Map(), failed: new Set() };
}

/** Returns facts that stay as they are when events are added to the given ones. */
export function copyFacts({ spent, begun, failed }: ThreadFacts): ThreadFacts {
  return { spent: new Map(spent), begun: new Map(begun), failed: new Set(failed) };
}

/** Adds one event to the facts. `view` is the session's view after the event. */
export function noteFacts(facts: ThreadFacts, event: SessionEvent, { run }: Pick<ViewState, "run">): void {
  switch (event.type) {
    case "user_message":
      noteBegun(facts, userMessageId(event), event.at);
      break;
    case "run_started":
    case "llm_request":
      noteBegun(facts, runMessageId(run), event.at);
      break;
    case "llm_response": {
      const { attempt, tokens, raw_response, cost_cents } = event.data;
      const model = raw_response.model ?? undefined;
      if (attempt !== 0)
        addSpent(facts, runMessageId(run), { model, tokens, costUsd: usdFromCents(cost_cents) });
      break;
    }
    case "run_ended":
      if (event.data.session_status === "error") facts.failed.add(event.data.run_id);
  }
}

function noteBegun({ begun }: ThreadFacts, id: string, at: string): void {
  if (!begun.has(id)) begun.set(id, at);
}

function addSpent({ spent }: ThreadFacts, id: string, { model, tokens, costUsd }: MessageSpending): void {
  const before = spent.get(id);
  const sum = { ...tokens };
  for (const kind of Object.keys(sum) as (keyof TokenUsage)[]) sum[kind] += before?.tokens[kind] ?? 0;
  spent.set(id, { model, tokens: sum, costUsd: addUsd(before?.costUsd ?? 0, costUsd) });
}
