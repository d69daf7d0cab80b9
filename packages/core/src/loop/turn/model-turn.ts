import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { Leg } from "../../leg/leg.ts";
import type { InsteadOfCall } from "./plan-call.ts";
import { prepareRequest } from "./prepare-request.ts";
import { sendRequest } from "./turn.ts";

/**
 * Makes one model call and stores its answer, calls and usage in one append. Resolves to the next step if it
 * cannot be derived from the log: the limits do not allow the call, or the call failed.
 */
export async function modelTurn(leg: Leg, plan: TurnPlan): Promise<InsteadOfCall | undefined> {
  const prepared = await prepareRequest(leg, plan);
  if (prepared === undefined || "do" in prepared) return prepared;
  const [stored] = await leg.log.append([{ type: "llm_request", data: prepared.event }]);
  return await sendRequest(leg, { ...prepared, seq: stored?.seq ?? 0 });
}
