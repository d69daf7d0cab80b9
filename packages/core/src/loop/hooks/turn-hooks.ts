import { canonicalJson, toJson } from "../../base/json.ts";
import type { Ask, Hook } from "../../hooks/hook.ts";
import type { ModelReply, PlannedRequest, TurnChange, TurnPlan } from "../../hooks/turn-plan.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import { isLogOnly } from "../../log/log-only.ts";
import { type StopReason, stopFrom } from "../../log/stop-reason.ts";
import { type ContentBlock, isText, isThinking } from "../../model/content.ts";
import type { Asking, RunQuestion } from "../../session/asking.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import { openRun, type RunState, type TurnState } from "../../session/state.ts";
import type { Leg } from "../leg/leg.ts";
import { storeHeld } from "../leg/stored-first.ts";
import { callHook, HOOK_FAILED, hooksWith, RETURNED_NOTHING } from "./call-hooks.ts";

/** The plan for the next turn, or the stop reason for which the run ends instead. */
type Planned = { plan: TurnPlan; stop?: never } | { stop: StopReason; plan?: never };

/** The plan for the next turn, the stop reason for which the run ends instead, or a question to ask first. */
type PlannedTurn = (Planned & { question?: never }) | { question: QuestionEvent; plan?: never; stop?: never };

/** Calls the `beforeTurn` hooks, and before the run's first request also the `beforeRun` hooks. */
export async function planTurn(leg: Leg): Promise<PlannedTurn> {
  const { model, maxTokens } = leg.run.agent;
  const run = openRun(leg.log.state);
  if (run === undefined) return { plan: { model, maxTokens } };
  const hasAsked = run.asked.length > 0;
  const lost = hasAsked ? (await leg.parts.load()).lostAsker(run, leg.run.agent.hooks) : undefined;
  if (lost !== undefined) return await endForLostAsker(leg, lost);
  const begun = run.turns > 0 || run.openRequest !== undefined || run.asked.some(isBeforeTurn);
  if (!begun && !leg.once.hooks.begun) {
    const insteadOfTurn = await askBeforeRun(leg, run);
    if (insteadOfTurn !== undefined) return insteadOfTurn;
    leg.once.hooks.begun = true;
  }
  let plan: TurnPlan = { model, maxTokens };
  for (const hook of hooksWith(leg, "beforeTurn")) {
    const take = async (change: TurnChange | { ask: Ask }): Promise<PlannedTurn> =>
      "ask" in change
        ? { question: (await leg.parts.load()).runQuestion(run, hook.name, "turn", change.ask) }
        : await changedPlan(leg, plan, change);
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
    const take = async (returned: { stop: StopReason } | { ask: Ask }): Promise<PlannedTurn> =>
      "ask" in returned
        ? { question: (await leg.parts.load()).runQuestion(run, hook.name, "run", returned.ask) }
        : { stop: stopFrom(returned.stop) };
    const hasAsked = run.asked.length > 0;
    const answer = hasAsked ? await (await leg.parts.load()).hookAnswer(run, hook, "run") : undefined;
    const { value, failed } = await callHook(leg, hook, "beforeRun", [], take, answer);
    if (failed) return { stop: HOOK_FAILED };
    if (value) return value;
  }
  return undefined;
}

/**
 * Ends a run whose question was answered after its hook had been removed. Nothing can act on the answer, and
 * the user may have refused.
 */
async function endForLostAsker(leg: Leg, lost: ErrorReport): Promise<Planned> {
  await leg.report.logError(lost);
  leg.report.failed(new Error(lost.message));
  return { stop: HOOK_FAILED };
}

/** Applies a hook's changes to the plan. Fields that are `undefined` change nothing. */
async function changedPlan(leg: Leg, plan: TurnPlan, change: TurnChange): Promise<Planned> {
  if (typeof change !== "object")
    throw new Error(`a change of plan must be an object, not of type ${typeof change}.`);
  if ("stop" in change) return { stop: stopFrom(change.stop) };
  const { model = plan.model, maxTokens = plan.maxTokens } = change;
  const { toolChoice = plan.toolChoice, tools = plan.tools } = change;
  const whole = { model, maxTokens, ...(toolChoice && { toolChoice }), ...(tools && { tools }) };
  const { checkPlan } = await leg.parts.load();
  return { plan: checkPlan(leg.run.agent, whole) };
}

/** Calls the `beforeModel` hooks. Each gets the request that `callOf` makes by the plan so far. */
export async function planRequest(
  leg: Leg,
  turnPlan: TurnPlan,
  callOf: (plan: TurnPlan) => PlannedRequest,
): Promise<Planned> {
  let plan = turnPlan;
  for (const hook of hooksWith(leg, "beforeModel")) {
    const take = (change: TurnChange) => changedPlan(leg, plan, change);
    const { value, failed } = await callHook(leg, hook, "beforeModel", [callOf(plan)], take);
    if (failed) return { stop: HOOK_FAILED };
    if (value?.stop) return value;
    plan = value?.plan ?? plan;
  }
  return { plan };
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
 * Stores the held events, unless the hooks only read the log. Comes before the hooks are recorded as called:
 * if this throws `DECIDE_AGAIN`, the loop still has to call them.
 */
async function storeBefore(leg: Leg, hooks: readonly Hook[]): Promise<void> {
  if (!hooks.every(isLogOnly)) await storeHeld(leg);
}

/**
 * Calls the `onSuspend` hooks, once per leg for the same questions. Returns `true` if a hook was called,
 * because it may have appended events. An error of a hook is logged. The run waits all the same.
 */
export async function notifyOfSuspension(leg: Leg, waiting: readonly Asking[]): Promise<boolean> {
  const hooks = hooksWith(leg, "onSuspend");
  const questions = waiting.map(({ question }) => question?.seq).join();
  if (hooks.length === 0 || leg.once.hooks.questions === questions) return false;
  await storeBefore(leg, hooks);
  leg.once.hooks.questions = questions;
  for (const hook of hooks) await callHook(leg, hook, "onSuspend", [], () => undefined);
  return true;
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
  const take = async (returned: { stop: StopReason } | { continue: string }): Promise<void> => {
    if ("stop" in returned) hookProgress.stop ??= stopFrom(returned.stop);
    else feedback.push((await leg.parts.load()).checkedFeedback(returned.continue));
  };
  for (const hook of hooks) await callHook(leg, hook, "afterTurn", [turn], take);
  if (feedback.length > 0 && hookProgress.stop === undefined)
    await (await leg.parts.load()).continueWithFeedback(leg, feedback);
}

/**
 * Checks the content that an `afterModel` hook returned, and returns it for storage. A hook may change or
 * remove text blocks after the last thinking block. All other blocks must stay unchanged: the model signs the
 * content before its thinking, and clients have already seen the calls. An answer that the model has
 * paused must not change at all.
 *
 * @throws Error with the reason if the content is not allowed.
 */
export function checkRewrite(
  before: readonly ContentBlock[],
  after: readonly ContentBlock[],
  paused: boolean,
): readonly ContentBlock[] {
  if (paused && canonicalJson(before) !== canonicalJson(after)) {
    throw new Error("an answer that the model has paused must not be changed.");
  }
  // The number of blocks up to the last thinking block.
  const bound = before.findLastIndex(isThinking) + 1;
  const unchangeable = (blocks: readonly ContentBlock[]) =>
    canonicalJson([...blocks.slice(0, bound), ...blocks.slice(bound).filter((block) => !isText(block))]);
  if (!Array.isArray(after) || unchangeable(before) !== unchangeable(after)) {
    throw new Error("only text blocks that no thinking block follows may be changed or removed.");
  }
  if (after.some((block) => isText(block) && typeof block.text !== "string")) {
    throw new Error("a text block must have a string as its `text`.");
  }
  const known = new Set(before.map(canonicalJson));
  // A changed text block keeps only its text: citations, for example, quote the old words.
  const stored = after.map((block) =>
    isText(block) && !known.has(canonicalJson(block)) ? { type: "text", text: block.text } : block,
  );
  return toJson(stored) as ContentBlock[];
}
