import { type Json, toJson } from "../../base/json.ts";
import type { ToolChange, ToolOutcome } from "../../hooks/tool-change.ts";
import { listedProblems } from "../../schema/problems.ts";
import type { CallState } from "../../session/state.ts";
import { formatForModel } from "../../tools/format-result.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallInput, CheckedAsk, HookDecision } from "../leg/part-types.ts";
import { validateFor } from "../leg/validate-for.ts";
import { callHook, HOOK_FAILED, hooksWith, RETURNED_NOTHING } from "./call-hooks.ts";

/**
 * Calls the `beforeTool` hooks. If the user has answered a hook's question, starts with that hook. The hook
 * gets the answer, and the input that the question showed, so that the approved input is the one that runs.
 * The answer is validated again: the database itself may have stored it, and does not check schemas. Calls at
 * most `most` hooks.
 */
export async function screenCall(
  leg: Leg,
  call: CallState,
  tool: Tool,
  callInput: CallInput,
  most?: number,
): Promise<HookDecision> {
  let now = callInput;
  // Read once, because the leg gets a fresh signal for the landing turn.
  const { signal } = leg.life;
  const asker = call.question?.by;
  const hooks = remainingHooks(leg, asker);
  if (hooks === undefined)
    return { do: "deny", why: `The hook "${asker}", which asked about this call, no longer exists.` };
  const problems = asker === undefined ? [] : await (await leg.parts.load()).answerProblems(call);
  if (problems.length > 0)
    return { do: "deny", why: `The answer does not match its schema: ${listedProblems(problems)}` };
  for (const hook of hooks.slice(0, most)) {
    const answer = hook.name === asker ? { answer: call.answer?.value ?? null } : {};
    const planned = { callId: call.callId, tool, input: now.input, arguments: call.arguments, ...answer };
    const called = callHook(leg, hook, "beforeTool", [planned], (change) => storableChange(leg, change));
    if (called === RETURNED_NOTHING && !signal.aborted) continue;
    const { value, failed } = await called;
    if (failed) return { do: "deny", why: "A check of this call failed." };
    if (signal.aborted) return { do: "leave" };
    if (value === undefined) continue;
    if (!("input" in value)) return screenedBy(hook.name, value, now);
    const checked = await validateFor(leg, tool.input, value.input);
    const { inputForAfter, refusedEdit } = await leg.parts.load();
    if (!checked.ok)
      return { do: "deny", why: refusedEdit(leg, call, { ...value, before: now }, checked.problems) };
    const inputFor = inputForAfter(call, { before: now, ...value, ...answer });
    now = { input: checked.value, changed: value.input, inputFor };
  }
  return { do: "run", ...now };
}

/**
 * Returns all hooks, or the hook that asked and those after it. Returns `undefined` if the hook that asked no
 * longer exists.
 */
function remainingHooks(leg: Leg, asker: string | undefined) {
  const hooks = hooksWith(leg, "beforeTool");
  if (asker === undefined) return hooks;
  const index = hooks.findIndex(({ name }) => name === asker);
  return index === -1 ? undefined : hooks.slice(index);
}

/** Returns the decision of a hook that does not let the call run. */
function screenedBy(
  by: string,
  change: Exclude<StorableChange, { input: unknown }>,
  callInput: CallInput,
): HookDecision {
  if ("deny" in change) return { do: "deny", why: change.deny };
  if ("result" in change) return { do: "answer", result: change.result, skipped: change.skipped };
  return { do: "ask", by, ask: change.ask, ...callInput };
}

/** A hook's decision as JSON. */
type StorableChange = Exclude<ToolChange, { ask: unknown }> | { ask: CheckedAsk };

/** Checks a hook's decision and converts it to JSON. */
async function storableChange(leg: Leg, change: ToolChange): Promise<StorableChange> {
  if ("input" in change) return (await leg.parts.load()).checkedChange(change);
  if ("result" in change) return { ...change, result: toJson(change.result) };
  if ("deny" in change) return { deny: String(change.deny) };
  const { checkedAsk } = await leg.parts.load();
  return { ask: checkedAsk(change.ask) };
}

/**
 * Applies the `afterTool` hooks to an outcome. Returns `undefined`, and ends the run, if a hook that guards
 * has failed: the outcome must not be stored then.
 */
export async function afterTool(leg: Leg, outcome: ToolOutcome): Promise<ToolOutcome | undefined> {
  let rewritten = outcome;
  for (const hook of hooksWith(leg, "afterTool")) {
    const { value, failed } = await callHook(leg, hook, "afterTool", [rewritten], async (change) => {
      const { changedOutcome } = await leg.parts.load();
      return changedOutcome(rewritten, change, (result) => formatted(leg, rewritten.tool, result));
    });
    if (failed && hook.guards) {
      leg.life.halt(HOOK_FAILED);
      return undefined;
    }
    rewritten = value ?? rewritten;
  }
  return rewritten;
}

/** Formats a result for the model. A mistake in the tool's `format` is reported to the application. */
export function formatted(leg: Leg, tool: Tool, result: Json): ReturnType<typeof formatForModel> {
  return formatForModel(tool, result, (cause) => {
    leg.parts
      .load()
      .then(({ reportMistake }) => reportMistake(leg, tool, cause, "format"))
      .catch(() => undefined);
  });
}
