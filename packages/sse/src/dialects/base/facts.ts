import { type Json, type SessionEvent, type TokenUsage, usdFromCents } from "@pawl/core";
import { addUsd } from "@pawl/core/store";
import { runMessageId, userMessageId, type ViewState } from "@pawl/core/view";
import { isApproval } from "./answers.ts";

/** A question of `approval()`, and its answer. */
export interface ApprovalRecord {
  /** `seq` of the question. */
  question: number;
  /** The question's payload. */
  payload: Json;
  /**
   * Whether the user approved. `false` while the question is open, and if it was closed without an answer.
   */
  approved: boolean;
  /** The user's reason, or why the question was closed. */
  reason?: string;
}

/** The model that wrote a message, and the tokens used for it. */
export interface MessageSpending {
  /** Id of the model that answered; `undefined` if unknown. */
  model: string | undefined;
  /** Tokens of the message's requests. */
  tokens: TokenUsage;
  /** Their cost in US dollars; 0 if the model has no prices. */
  costUsd: number;
}

/** Facts about a session's messages and calls that a reloaded page shows but the view lacks. */
export interface ThreadFacts {
  /** Model and usage of each message, keyed by message id. */
  spent: Map<string, MessageSpending>;
  /** When each message was sent or begun, keyed by message id: ISO 8601, UTC. */
  begun: Map<string, string>;
  /** The last approval of each call, keyed by call id. */
  approvals: Map<string, ApprovalRecord>;
  /** `seq` of the last question of each call, keyed by call id. */
  asking: Map<string, number>;
  /** Why unanswered questions were closed, keyed by call id. */
  closed: Map<string, string>;
  /** Ids of runs that left the session in status `error`. */
  failed: Set<string>;
}

export function newFacts(): ThreadFacts {
  const [spent, begun, approvals] = [new Map(), new Map(), new Map()];
  return { spent, begun, approvals, asking: new Map(), closed: new Map(), failed: new Set() };
}

/** Returns facts that stay as they are when events are added to the given ones. */
export function copyFacts({ spent, begun, approvals, asking, closed, failed }: ThreadFacts): ThreadFacts {
  return {
    spent: new Map(spent),
    begun: new Map(begun),
    approvals: new Map(approvals),
    asking: new Map(asking),
    closed: new Map(closed),
    failed: new Set(failed),
  };
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
    case "tool_suspended": {
      const { call_id, payload, kind } = event.data;
      facts.closed.delete(call_id);
      facts.asking.set(call_id, event.seq);
      if (isApproval({ kind }))
        facts.approvals.set(call_id, { question: event.seq, payload, approved: false });
      break;
    }
    case "tool_answered": {
      const { call_id, value, closed, hidden } = event.data;
      if (hidden) break;
      if (closed !== undefined) facts.closed.set(call_id, closed);
      const asked = facts.approvals.get(call_id);
      // An approved call may ask more. Its later answers approve nothing, and refuse nothing.
      if (asked !== undefined && asked.question === facts.asking.get(call_id))
        facts.approvals.set(call_id, { ...asked, ...answerIn(value, closed) });
      break;
    }
    case "run_ended":
      if (event.data.session_status === "error") facts.failed.add(event.data.run_id);
  }
}

function noteBegun({ begun }: ThreadFacts, id: string, at: string): void {
  if (!begun.has(id)) begun.set(id, at);
}

function answerIn(value: Json, closed: string | undefined): Pick<ApprovalRecord, "approved" | "reason"> {
  const { approved, reason = closed } =
    value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  return { approved: approved === true, ...(typeof reason === "string" && { reason }) };
}

function addSpent({ spent }: ThreadFacts, id: string, { model, tokens, costUsd }: MessageSpending): void {
  const before = spent.get(id);
  const sum = { ...tokens };
  for (const kind of Object.keys(sum) as (keyof TokenUsage)[]) sum[kind] += before?.tokens[kind] ?? 0;
  spent.set(id, { model, tokens: sum, costUsd: addUsd(before?.costUsd ?? 0, costUsd) });
}
