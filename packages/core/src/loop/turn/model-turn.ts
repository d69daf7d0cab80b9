import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { Leg } from "../../leg/leg.ts";
import { ABORTED } from "../../log/stop-reason.ts";
import { lostAnswer } from "../../session/open-attempt.ts";
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
  const { life, log } = leg;
  const rows = await log.follow([{ type: "llm_request", data: prepared.event }]);
  const seq = rows[0]?.seq ?? 0;
  if (leg.mayBegin !== undefined && !(await leg.mayBegin())) life.halt(ABORTED);
  if (life.lost || !life.signal.aborted) return await sendRequest(leg, { ...prepared, seq });
  // The run was stopped since: the model is not asked, and the request costs nothing.
  const { model } = prepared.event;
  await log.add([lostAnswer({ seq, model, estimatedTokens: 0, estimatedCostUsd: 0 })]);
  return undefined;
}
