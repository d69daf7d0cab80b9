import type { ModelReply, PlannedRequest, TurnChange, TurnPlan } from "../../hooks/hook.ts";
import type { Leg } from "../../leg/leg.ts";
import { type StopReason, stopFrom } from "../../log/stop-reason.ts";
import type { ContentBlock } from "../../model/content.ts";
import { type CallState, openRun, type TurnState } from "../../session/state.ts";
import { callHook, type Given, HOOK_FAILED, hooksWith } from "./call-hooks.ts";
import { checkPlan } from "./check-plan.ts";
import { checkRewrite } from "./check-rewrite.ts";

/** The plan for the next turn, or the stop reason if the run ends instead. */
type Planned = { plan: TurnPlan; stop?: never } | { stop: StopReason; plan?: never };

/** Calls `beforeTurn`, and before the run's first request also `beforeRun`. */
export async function planTurn(leg: Leg): Promise<Planned> {
  const run = openRun(leg.log.state);
  if (run?.turns === 0 && run.openRequest === undefined && !leg.hookProgress.begun) {
    for (const hook of hooksWith(leg, "beforeRun")) {
      const { value, failed } = await callHook(leg, hook, "beforeRun", [], ({ stop }) => stopFrom(stop));
      if (failed) return { stop: HOOK_FAILED };
      if (value) return { stop: value };
    }
    leg.hookProgress.begun = true;
  }
  const { model, maxTokens } = leg.agent;
  return await changedBy(leg, "beforeTurn", { model, maxTokens }, (plan) => plan);
}

/**
 * Calls these hooks in order and applies their changes to the plan. `givenFor` returns a hook's arguments for
 * the plan so far.
 */
async function changedBy<M extends "beforeTurn" | "beforeModel">(
  leg: Leg,
  method: M,
  wanted: TurnPlan,
  givenFor: (plan: TurnPlan) => Given<M>[0],
): Promise<Planned> {
  let plan = wanted;
  for (const hook of hooksWith(leg, method)) {
    const given = [givenFor(plan)] as Given<M>;
    const { value, failed } = await callHook(leg, hook, method, given, (change) =>
      changed(leg, plan, change),
    );
    if (failed) return { stop: HOOK_FAILED };
    if (value?.stop) return value;
    plan = value?.plan ?? plan;
  }
  return { plan };
}

/** Applies a hook's changes to the plan. Fields that are `undefined` change nothing. */
function changed({ agent }: Leg, plan: TurnPlan, change: TurnChange): Planned {
  if (typeof change !== "object")
    throw new Error(`a change of plan must be an object, not of type ${typeof change}.`);
  if ("stop" in change) return { stop: stopFrom(change.stop) };
  const { model = plan.model, maxTokens = plan.maxTokens } = change;
  const { toolChoice = plan.toolChoice, tools = plan.tools } = change;
  const whole = { model, maxTokens, ...(toolChoice && { toolChoice }), ...(tools && { tools }) };
  return { plan: checkPlan(agent, whole) };
}

/** Calls the `beforeModel` hooks with the request to send. */
export async function planRequest(
  leg: Leg,
  wanted: TurnPlan,
  callOf: (plan: TurnPlan) => PlannedRequest,
): Promise<Planned> {
  return await changedBy(leg, "beforeModel", wanted, callOf);
}

/**
 * Applies the `afterModel` hooks to the content of an answer. Content that would make the session invalid
 * counts as a failed hook.
 */
export async function afterModel(leg: Leg, answer: ModelReply): Promise<readonly ContentBlock[]> {
  let { content } = answer;
  for (const hook of hooksWith(leg, "afterModel")) {
    const { value } = await callHook(leg, hook, "afterModel", [{ ...answer, content }], (change) =>
      checkRewrite(content, change.content, answer.stopReason === "pause_turn"),
    );
    content = value ?? content;
  }
  return content;
}

/**
 * Calls the `onSuspend` hooks, once per leg for the same questions. Returns `true` if a hook was called,
 * because the log may have changed meanwhile. An error of a hook is logged and does not keep the run from
 * waiting.
 */
export async function notifyOfSuspension(leg: Leg, waiting: readonly CallState[]): Promise<boolean> {
  const hooks = hooksWith(leg, "onSuspend");
  const questions = waiting.map(({ question }) => question?.seq).join();
  if (hooks.length === 0 || leg.hookProgress.questions === questions) return false;
  leg.hookProgress.questions = questions;
  for (const hook of hooks) await callHook(leg, hook, "onSuspend", [], () => undefined);
  return true;
}

/**
 * Calls the `afterTurn` hooks for a turn, once per leg. The first stop reason that a hook returns is kept for
 * the rest of the leg.
 */
export async function runAfterTurnHooks(leg: Leg, turn: TurnState): Promise<void> {
  const { hookProgress } = leg;
  hookProgress.turns = leg.log.state.run?.turns ?? 0;
  hookProgress.stop = undefined;
  for (const hook of hooksWith(leg, "afterTurn")) {
    const { value } = await callHook(leg, hook, "afterTurn", [turn], ({ stop }) => stopFrom(stop));
    hookProgress.stop ??= value;
  }
}
