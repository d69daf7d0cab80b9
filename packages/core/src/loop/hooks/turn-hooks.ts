import type { Hook } from "../../hooks/hook.ts";
import type { Ask } from "../../hooks/tool-change.ts";
import type { ModelReply, PlannedRequest, RunStop, TurnChange, TurnPlan } from "../../hooks/turn-plan.ts";
import { isLogOnly } from "../../log/log-only.ts";
import { type StopReason, stopFrom } from "../../log/stop-reason.ts";
import type { ContentBlock, ContentBlockParam } from "../../model/content.ts";
import type { RunQuestion } from "../../session/asking.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import { openRun, type RunState, type TurnState } from "../../session/state.ts";
import type { Leg } from "../leg/leg.ts";
import type { Planned } from "../leg/part-types.ts";
import { storeHeld } from "../leg/stored-first.ts";
import { callHook, HOOK_FAILED, hooksWith, RETURNED_NOTHING } from "./call-hooks.ts";

/** The plan for the next turn, the stop reason for which the run ends instead, or a question to ask first. */
type PlannedTurn = (Planned & { question?: never }) | { question: QuestionEvent; plan?: never; stop?: never };

/** Calls the `beforeTurn` hooks, and before the run's first request also the `beforeRun` hooks. */
export async function planTurn(leg: Leg): Promise<PlannedTurn> {
  const { model, maxTokens } = leg.run.agent;
  const run = openRun(leg.log.state);
  if (run === undefined) return { plan: { model, maxTokens } };
  const hasAsked = run.asked.length > 0;
  if (hasAsked && (await (await leg.parts.load()).hasLostAsker(leg, run))) return { stop: HOOK_FAILED };
  const begun = run.turns > 0 || run.openRequest !== undefined || run.asked.some(isBeforeTurn);
  if (!begun && !leg.once.hooks.begun) {
    const insteadOfTurn = await askBeforeRun(leg, run);
    if (insteadOfTurn !== undefined) return insteadOfTurn;
    leg.once.hooks.begun = true;
  }
  let plan: TurnPlan = { model, maxTokens };
  if (leg.run.agent.roles) plan = await (await leg.parts.load()).planOfRole(leg, plan);
  for (const hook of hooksWith(leg, "beforeTurn")) {
    const take = async (change: TurnChange | { ask: Ask }): Promise<PlannedTurn> =>
      "ask" in change
        ? { question: (await leg.parts.load()).runQuestion(run, hook.name, "turn", change.ask) }
        : await (await leg.parts.load()).changedPlan(leg, plan, change);
    const answer = hasAsked ? await (await leg.parts.load()).hookAnswer(run, hook, "turn") : undefined;
    const called = callHook(leg, hook, "beforeTurn", [plan], take, answer);
    if (called === RETURNED_NOTHING) continue;
    const { value, failed } = await called;
    if (failed) return { stop: HOOK_FAILED };
    if (value !== undefined && value.plan === undefined) return value;
    plan = value?.plan ?? plan;
  }
  return { plan };
}

function isBeforeTurn({ before }: RunQuestion): boolean {
  return before === "turn";
}

/** Calls the `beforeRun` hooks. Returns the first hook's stop reason or question; `undefined` without any. */
async function askBeforeRun(leg: Leg, run: RunState): Promise<PlannedTurn | undefined> {
  for (const hook of hooksWith(leg, "beforeRun")) {
    const take = async (returned: RunStop | { ask: Ask }): Promise<PlannedTurn> =>
      "ask" in returned
        ? { question: (await leg.parts.load()).runQuestion(run, hook.name, "run", returned.ask) }
        : { stop: await hiddenStop(leg, returned) };
    const hasAsked = run.asked.length > 0;
    const answer = hasAsked ? await (await leg.parts.load()).hookAnswer(run, hook, "run") : undefined;
    const { value, failed } = await callHook(leg, hook, "beforeRun", [], take, answer);
    if (failed) return { stop: HOOK_FAILED };
    if (value) return value;
  }
  return undefined;
}

/** Returns the stop reason of a hook. With `hide`, hides the messages first. */
export async function hiddenStop(leg: Leg, { stop, hide }: RunStop): Promise<StopReason> {
  const reason = stopFrom(stop);
  if (hide) await (await leg.parts.load()).hideMessages(leg, reason, hide);
  return reason;
}

/** Calls the `beforeModel` hooks. Each gets the request that `callOf` makes by the plan so far. */
export async function planRequest(
  leg: Leg,
  turnPlan: TurnPlan,
  callOf: (plan: TurnPlan) => PlannedRequest,
): Promise<Planned> {
  let plan = turnPlan;
  for (const hook of hooksWith(leg, "beforeModel")) {
    const take = async (change: TurnChange) => await (await leg.parts.load()).changedPlan(leg, plan, change);
    const { value, failed } = await callHook(leg, hook, "beforeModel", [callOf(plan)], take);
    if (failed) return { stop: HOOK_FAILED };
    if (value?.stop) return value;
    plan = value?.plan ?? plan;
  }
  return { plan };
}

/**
 * Applies the `afterModel` hooks to the content of an answer. Content that would make the session invalid
 * counts as a failed hook. Returns `undefined` if a hook that guards has failed: the answer must not be
 * stored then.
 */
export async function afterModel(leg: Leg, answer: ModelReply): Promise<readonly ContentBlock[] | undefined> {
  let { content } = answer;
  for (const hook of hooksWith(leg, "afterModel")) {
    const take = async (change: { content: ContentBlockParam[] }) =>
      (await leg.parts.load()).checkRewrite(content, change.content, answer.stopReason === "pause_turn");
    const { value, failed } = await callHook(leg, hook, "afterModel", [{ ...answer, content }], take);
    if (failed && hook.guards) return undefined;
    content = value ?? content;
  }
  return content;
}

/**
 * Stores the held events, unless the hooks only read the log. Comes before the hooks are recorded as called:
 * if this throws `DECIDE_AGAIN`, the loop still has to call them.
 */
export async function storeBefore(leg: Leg, hooks: readonly Hook[]): Promise<void> {
  if (!hooks.every(isLogOnly)) await storeHeld(leg);
}

/**
 * Calls the `afterTurn` hooks for a turn, once per leg. The first stop reason that a hook returns is kept for
 * the rest of the leg. Without one, feedback of the hooks has the run go on.
 */
export async function runAfterTurnHooks(leg: Leg, turn: TurnState): Promise<void> {
  const {
    once: { hooks: hookProgress },
  } = leg;
  const hooks = hooksWith(leg, "afterTurn");
  await storeBefore(leg, hooks);
  hookProgress.turns = leg.log.state.run?.turns ?? 0;
  hookProgress.stop = undefined;
  const feedback: string[] = [];
  const take = async (
    returned: { stop: StopReason } | { continue: string },
  ): Promise<StopReason | undefined> => {
    if ("stop" in returned) return stopFrom(returned.stop);
    feedback.push((await leg.parts.load()).checkedFeedback(returned.continue));
    return undefined;
  };
  for (const hook of hooks) {
    const { value, failed } = await callHook(leg, hook, "afterTurn", [turn], take);
    if (failed && hook.guards) hookProgress.stop = HOOK_FAILED;
    else hookProgress.stop ??= value;
  }
  if (feedback.length > 0 && hookProgress.stop === undefined)
    await (await leg.parts.load()).continueWithFeedback(leg, feedback);
}
