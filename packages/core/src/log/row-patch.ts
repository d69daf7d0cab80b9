import { addUsd, usdFromCents } from "../base/usd.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import type { NewEvent } from "./event.ts";
import type { SessionPatch } from "./session-row.ts";
import { type Spent, usageOf } from "./tokens.ts";

/** Returns what a batch of events changes in the session's row. */
export function patchOf(events: readonly NewEvent[]): SessionPatch {
  const patch: SessionPatch = {};
  for (const event of events) {
    switch (event.type) {
      case "run_started":
        patch.status = "active";
        patch.openRun = event.data.run_id;
        break;
      case "run_suspended":
        patch.status = "suspended";
        patch.waitsFor = event.data.pending.length;
        break;
      case "run_recovered":
        patch.status = "active";
        break;
      case "run_ended":
        patch.status = event.data.session_status;
        patch.openRun = null;
        break;
      case "tool_suspended":
        patch.addPending = (patch.addPending ?? 0) + 1;
        if (event.data.spent !== undefined) chargeRow(patch, event.data.spent);
        break;
      case "stop_requested":
        patch.wakes = true;
        break;
      case "user_message":
        if (event.data.queued) patch.wakes = true;
        break;
      case "tool_answered":
        patch.wakes = true;
        patch.addPending = (patch.addPending ?? 0) - 1;
        break;
      case "checkpoint":
        if (event.data.reason !== "drop_old_results") patch.contextStartSeq = event.data.from_seq - 1;
        break;
      case "llm_response":
      case "spending":
        chargeRow(patch, event.data);
        break;
      case "tool_result":
        if (event.data.spent !== undefined) chargeRow(patch, event.data.spent);
        break;
    }
  }
  return patch;
}

function chargeRow(patch: SessionPatch, { tokens, cost_cents }: Spent): void {
  patch.addUsage = addUsage(patch.addUsage ?? noUsage, usageOf(tokens));
  patch.addCostUsd = addUsd(patch.addCostUsd ?? 0, usdFromCents(cost_cents));
}
