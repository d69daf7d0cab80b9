import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { Leg } from "../../leg/leg.ts";
import type { InsteadOfCall } from "./plan-call.ts";
import { prepareRequest } from "./prepare-request.ts";
import { sendRequest } from "./turn.ts";

/**
 * Makes one model call and stores its answer, calls and usage in one append. Resolves to the next step if it
 * cannot be derived from the log: the limits do not allow the call, or the call failed. `revision` is that of
 * the log when the turn was decided.
 */
export async function modelTurn(
  leg: Leg,
  plan: TurnPlan,
  revision: number,
): Promise<InsteadOfCall | undefined> {
  const prepared = await prepareRequest(leg, plan);
  if (prepared === undefined || "do" in prepared) return prepared;
  const rows = await leg.log.appendAt(revision, [{ type: "llm_request", data: prepared.event }]);
  return rows && (await sendRequest(leg, { ...prepared, seq: rows[0]?.seq ?? 0 }));
}
