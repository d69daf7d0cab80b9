import { unpriced } from "../agent/check-tools.ts";
import { withinDeadline } from "../base/deadline.ts";
import { effectiveType } from "../loop/leg/effective-type.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { ChosenAgent } from "../loop/leg/part-types.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { answerSentence } from "../session/close-calls.ts";
import { type CallState, openRun } from "../session/state.ts";
import type { TaskAgent } from "../tools/run-agent-types.ts";
import type { Delegate } from "../tools/tool.ts";

/** The most levels of sub-agents below each other if calls choose their agents by their input. */
const MAX_LEVELS = 8;

/**
 * Chooses the sub-agent of a call. A task that was started continues with the agent that the log names, or
 * not at all, so that no other agent repeats its work.
 */
export async function chooseAgent(
  leg: Leg,
  delegate: Delegate,
  call: CallState,
  input: unknown,
): Promise<ChosenAgent> {
  const agent = delegate.fixed ?? (await chosenBy(leg, delegate, call, input));
  const startedName = call.started?.agent;
  if (startedName !== undefined && agent?.name !== startedName)
    return {
      why: `The agent "${startedName}", which began this task, is not available to continue it.${answerSentence(call)}`,
    };
  if (agent === undefined) return { why: "There is no such agent." };
  if (delegate.fixed !== undefined) return { agent };
  const why = whyNot(leg, agent);
  return why === undefined ? { agent } : { why };
}

/** Returns why an agent cannot work on a task of this run; `undefined` if it can. */
export function whyNot(leg: Leg, agent: TaskAgent): string | undefined {
  // The name of a sub-agent has one part for each level, separated by `/`.
  if (leg.run.agent.name.split("/").length > MAX_LEVELS)
    return `Not run: sub-agents may be at most ${MAX_LEVELS} levels deep, and this would be one more.`;
  const models = agent.models.flatMap((one) => one.models ?? [one]);
  const unpricedModel = unpriced(leg.run.agent, models);
  if (unpricedModel === undefined) return undefined;
  return `The agent "${agent.name}" cannot be used: the cost is limited, and ${unpricedModel.id} has no prices.`;
}

/** Returns the agent that the function `agents` of the tool chooses for the input. */
async function chosenBy(
  leg: Leg,
  { choose }: Delegate,
  { callId }: CallState,
  input: unknown,
): Promise<TaskAgent | undefined> {
  const {
    life,
    run: { session },
    access: { caller, credentials },
  } = leg;
  const run = openRun(leg.log.state);
  const deps = await afterBarrier(leg, () => withinDeadline(life, leg.access.makeDeps()));
  const source = {
    sessionId: session.id,
    userId: session.userId,
    runId: run?.runId ?? "",
    callId,
    params: run?.params ?? {},
    caller,
    credentials,
    type: effectiveType(leg),
    deps: deps as never,
    signal: life.signal,
  };
  return await afterBarrier(leg, () => withinDeadline(life, (async () => choose(input, source))()));
}
