import type { Leg } from "../leg.ts";
import type { ContentBlock } from "../model/content.ts";
import { openRun, type TurnState } from "../session/state.ts";
import type { StopReason } from "../stop/stop-reason.ts";
import { callHook, HOOK_FAILED, hooksWith } from "./call-hooks.ts";
import type { ModelAnswer, PlannedRequest, TurnPlan } from "./hook.ts";
import { checkRewrite } from "./rewrite.ts";

/** A plan for the next turn, or why there is none. */
export type Planned = { plan: TurnPlan } | { stop: StopReason };

/** Asks `beforeRun`, if the run has made no request yet, and `beforeTurn`. */
export async function planTurn(leg: Leg): Promise<Planned> {
  const run = openRun(leg.log.state);
  if (run?.turns === 0 && run.attempt === undefined) {
    for (const hook of hooksWith(leg, "beforeRun")) {
      const { value, failed } = await callHook(leg, hook, "beforeRun", (context) => hook.beforeRun(context));
      if (failed) return { stop: HOOK_FAILED };
      if (value) return value;
    }
  }
  const { model, maxTokens } = leg.agent;
  let plan: TurnPlan = { model, maxTokens };
  for (const hook of hooksWith(leg, "beforeTurn")) {
    const { value, failed } = await callHook(leg, hook, "beforeTurn", (context) =>
      hook.beforeTurn(plan, context),
    );
    if (failed) return { stop: HOOK_FAILED };
    if (value && "stop" in value) return value;
    plan = { ...plan, ...value };
  }
  return { plan };
}

/** Asks `beforeModel`, with the request as it would be sent. */
export async function planRequest(
  leg: Leg,
  wanted: TurnPlan,
  callOf: (plan: TurnPlan) => PlannedRequest,
): Promise<Planned> {
  let plan = wanted;
  for (const hook of hooksWith(leg, "beforeModel")) {
    const { value, failed } = await callHook(leg, hook, "beforeModel", (context) =>
      hook.beforeModel(callOf(plan), context),
    );
    if (failed) return { stop: HOOK_FAILED };
    if (value && "stop" in value) return value;
    plan = { ...plan, ...value };
  }
  return { plan };
}

/** The answer's blocks as `afterModel` wants them. A rewriting that would make the session invalid counts as failed. */
export async function afterModel(leg: Leg, answer: ModelAnswer): Promise<readonly ContentBlock[]> {
  let { content } = answer;
  for (const hook of hooksWith(leg, "afterModel")) {
    const { value } = await callHook(leg, hook, "afterModel", async (context) => {
      const change = await hook.afterModel({ ...answer, content }, context);
      return change ? checkRewrite(content, change.content, answer.stopReason === "pause_turn") : undefined;
    });
    content = value ?? content;
  }
  return content;
}

/** Tells `afterTurn` that a turn is over, once in a leg. `told`: somebody may have stored something. */
export async function afterTurn(
  leg: Leg,
  turns: number,
  turn: TurnState,
): Promise<{ told: boolean; stop?: StopReason }> {
  if (leg.turnTold >= turns || leg.signal.aborted) return { told: false };
  leg.turnTold = turns;
  const hooks = hooksWith(leg, "afterTurn");
  for (const hook of hooks) {
    const { value } = await callHook(leg, hook, "afterTurn", (context) => hook.afterTurn(turn, context));
    if (value) return { told: true, stop: value.stop };
  }
  return { told: hooks.length > 0 };
}
