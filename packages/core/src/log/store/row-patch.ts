import { addUsd, usdFromCents } from "../../base/usd.ts";
import { addUsage, noUsage } from "../../model/pricing.ts";
import { type ByType, callByType, type NewEvent } from "../event.ts";
import type { EventData } from "../event-data.ts";
import { waitsForTime } from "../expiry.ts";
import type { SessionPatch } from "../session-row.ts";
import { type Spent, usageOf } from "../tokens.ts";

/** Returns the changes that a batch of events makes to the session's row. */
export function patchOf(events: readonly NewEvent[]): SessionPatch {
  const patch: SessionPatch = {};
  for (const event of events) Object.assign(patch, callByType(CHANGES, event, patch));
  return patch;
}

/**
 * By event type: a function that returns the changes by an event. Its second argument has the changes by the
 * earlier events of the batch.
 */
const CHANGES: ByType<SessionPatch, SessionPatch> = {
  run_started: ({ run_id }) => ({ status: "active", openRun: run_id }),
  run_suspended: waiting,
  run_recovered: () => ({ status: "active" }),
  run_ended: ({ session_status }) => ({ status: session_status, openRun: null }),
  stop_requested: () => ({ wakes: true }),
  user_message: ({ queued }) => (queued ? { wakes: true } : {}),
  tool_suspended: ({ spent }, patch) => ({
    addPending: (patch.addPending ?? 0) + 1,
    ...charged(patch, spent),
  }),
  tool_answered: (_, patch) => ({ wakes: true, addPending: (patch.addPending ?? 0) - 1 }),
  tool_result: ({ spent }, patch) => charged(patch, spent),
  llm_response: (data, patch) => charged(patch, data),
  spending: (data, patch) => charged(patch, data),
  checkpoint: ({ reason, from_seq }) =>
    reason === "drop_old_results" ? {} : { contextStartSeq: from_seq - 1 },
};

/**
 * Returns the changes of a run that begins to wait. If it waits for a time only, the session stays active:
 * nobody is asked, and until `wakeAt` no process picks up the run.
 */
function waiting(data: EventData["run_suspended"]): SessionPatch {
  const { pending, hidden = [], wake_at } = data;
  const wakeAt = wake_at ?? null;
  if (waitsForTime(data)) return { status: "active", wakeAt };
  return { status: "suspended", waitsFor: pending.length + hidden.length, wakeAt };
}

/** Adds tokens and cost to those of the batch's earlier events. */
function charged({ addUsage: usage = noUsage, addCostUsd = 0 }: SessionPatch, spent?: Spent): SessionPatch {
  if (spent === undefined) return {};
  return {
    addUsage: addUsage(usage, usageOf(spent.tokens)),
    addCostUsd: addUsd(addCostUsd, usdFromCents(spent.cost_cents)),
  };
}
