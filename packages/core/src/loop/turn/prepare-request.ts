import { withinDeadline } from "../../base/deadline.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { Leg } from "../../leg/leg.ts";
import { storedFirst } from "../../leg/stored-first.ts";
import { type Judge, judgeFor } from "../seldom/lazy-verdict.ts";
import { type InsteadOfCall, type ModelCall, planCall } from "./plan-call.ts";

/** A model call that is ready to be stored and sent. */
interface PreparedRequest extends ModelCall {
  /** Judges the answer by the agent's `output`. */
  judge: Judge | undefined;
}

/** A model call whose `llm_request` is in the log, under the number `seq`. */
export interface StoredRequest extends PreparedRequest {
  seq: number;
}

/**
 * Plans the next model call like {@link planCall}, and loads everything that it needs. Returns `undefined` if
 * the caller must decide again. Rejects if the leg is aborted while files are read.
 */
export async function prepareRequest(
  leg: Leg,
  plan: TurnPlan,
): Promise<PreparedRequest | InsteadOfCall | undefined> {
  const planned = await planCall(leg, plan);
  if (planned === undefined || "do" in planned) return planned;
  const judge = leg.agent.output && (await judgeFor(leg));
  const filled = leg.files.fill(planned.request, planned.model, leg.life);
  if (!(filled instanceof Promise)) return { ...planned, judge, request: filled };
  // A promise that is rejected before it is awaited would end the process.
  filled.catch(() => undefined);
  await storedFirst(leg);
  return { ...planned, judge, request: await withinDeadline(leg.life, filled) };
}
