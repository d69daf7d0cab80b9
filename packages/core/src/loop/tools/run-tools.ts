import pLimit from "p-limit";
import { messageOf, PawlError, storeFailed } from "../../base/errors.ts";
import type { Budget, Resource } from "../../log/budget.ts";
import type { NewEvent } from "../../log/event.ts";
import { storedBudget } from "../../log/stored-budget.ts";
import { promptTokens } from "../../model/pricing.ts";
import { closeCalls, resultEvent } from "../../session/close-calls.ts";
import { type CallState, callsWithoutResult, openRun } from "../../session/state.ts";
import { remainingOf } from "../../stop/limits.ts";
import type { Leg } from "../leg/leg.ts";
import { DECIDE_AGAIN, storeHeld } from "../leg/stored-first.ts";
import { changedInput, notesOn, type Prepared, prepareCall, type Runnable } from "./prepare-call.ts";
import { runCall } from "./run-call.ts";
import { idempotencyKeyOf } from "./tool-context.ts";

/**
 * Runs the calls of a turn: prepares them one by one, runs them concurrently, and stores each result as it
 * arrives. A call that fails affects no other call.
 */
export async function runTools(leg: Leg, calls: readonly CallState[]): Promise<void> {
  if (leg.life.signal.aborted) {
    // The work was aborted to leave time for the landing turn. There is no other cause: `decide` ends a
    // halted run before it returns calls, and the loop does not continue without the lease.
    await leg.log.storeDecision(closeCalls(calls, "the time for this request is nearly up."));
    return;
  }
  // Loaded here, because errors of `prepareCall` become results. A started call must not fail only because
  // its code cannot be loaded.
  if (calls.some(hasBegun)) await leg.parts.load();
  const events: NewEvent[] = [];
  const runnable: Runnable[] = [];
  for (const call of calls) {
    const prepared = await prepareCall(leg, call).catch(async (cause: unknown): Promise<Prepared> => {
      if (cause === DECIDE_AGAIN || PawlError.is(cause, "fenced") || storeFailed(cause)) throw cause;
      // The validation was abandoned because the run was stopped. The call gets its result when the run ends.
      if (leg.life.signal.aborted) return { do: "store", events: [] };
      // The application must fix this error: a schema, `payload`, or `agents` of agentTool() has thrown.
      (await leg.parts.load()).reportCall(leg, call, cause);
      return { do: "store", events: [resultEvent(call, false, messageOf(cause))] };
    });
    if (prepared.do === "run") runnable.push(prepared);
    else events.push(...prepared.events);
  }
  let toStore =
    events.length === 0 ? events : await Promise.all(events.map((event) => leg.run.files.keep(event, leg)));
  // The results are stored before a sub-agent gets its share of the budget, because they may have a cost.
  if (toStore.length > 0 && runnable.some(({ tool }) => tool.delegate !== undefined)) {
    await leg.log.add(toStore);
    toStore = [];
  }
  // A question's expiry counts from the time at which it is stored, so it is not held.
  if (runnable.length === 0 && toStore.every(({ type }) => type === "tool_result"))
    return await leg.log.holdDecision(toStore);
  const { toolConcurrency } = leg.run.agent;
  // The first calls start with one append. Each other call starts when a place is free.
  const first = mayStart(leg) ? runnable.slice(0, toolConcurrency) : [];
  const notes = notesOn(leg, first);
  const started = [...first.map((one) => startedEvent(leg, one)), ...("then" in notes ? await notes : notes)];
  if (toStore.length + started.length > 0) await leg.log.storeDecision([...toStore, ...started]);
  const group = { running: runnable.length };
  if (first.length === runnable.length)
    return await allSettled(
      leg,
      first.map((one) => runCall(leg, one, group)),
    );
  const limit = pLimit(toolConcurrency);
  const runNext = async (one: Runnable, index: number) => {
    if (index >= first.length) {
      const notes = await notesOn(leg, [one]);
      if (!mayStart(leg)) return;
      await leg.log.add([startedEvent(leg, one), ...notes]);
    }
    await runCall(leg, one, group);
  };
  await allSettled(
    leg,
    runnable.map((one, index) => limit(runNext, one, index)),
  );
}

/** Returns whether a call was started, or has asked the user. */
function hasBegun({ started, question }: CallState): boolean {
  return started !== undefined || question !== undefined;
}

/**
 * Returns whether calls may start. They may not if an answer has come from another caller. The loop then
 * prepares them again, because the hooks have agreed to what the earlier caller may do.
 */
function mayStart(leg: Leg): boolean {
  return !leg.life.signal.aborted && !leg.access.hasNewCaller;
}

/** Waits for all calls to settle. If one has failed, stores the held results, then throws the first error. */
async function allSettled({ log }: Leg, work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed === undefined) return;
  await storeHeld({ log }).catch(() => undefined);
  throw failed.reason;
}

/** Returns the event that starts a call. A sub-agent's budget slice is fixed in it. */
function startedEvent(leg: Leg, runnable: Runnable): NewEvent {
  const { call, tool, agent, about } = runnable;
  const slice =
    tool.delegate && agent && (call.started?.slice ?? sliceOf(leg, agent.budget, tool.delegate.limits));
  return {
    type: "tool_started",
    data: {
      tool_name: tool.name,
      call_id: call.callId,
      idempotency_key: idempotencyKeyOf(leg, call),
      ...(tool.status.start !== undefined && { status: tool.status.start }),
      ...changedInput(runnable),
      ...(slice !== undefined && { slice: storedBudget(slice) }),
      ...(agent !== undefined && tool.delegate?.fixed === undefined && { agent: agent.name }),
      ...(!tool.idempotent && { idempotent: false }),
      ...(about && { about }),
    },
  };
}

/**
 * The resources of which a sub-agent gets a share of the calling run's budget. Time is not shared: it passes
 * for the calling run too.
 */
const SHARED: readonly Resource[] = ["inputTokens", "outputTokens", "costUsd"];

/** Returns the part of a started task's slice that its caller was not charged for yet. */
function reservedBy({ started, charged: { usage, costUsd } }: CallState, resource: Resource): number {
  const charged: Partial<Budget> = {
    inputTokens: promptTokens(usage),
    outputTokens: usage.outputTokens,
    costUsd,
  };
  return Math.max(0, (started?.slice?.[resource] ?? 0) - (charged[resource] ?? 0));
}

/**
 * Returns the budget slice of a sub-agent's task that is about to start. The tasks of a turn that have not
 * started share the calling run's remaining tokens and cost equally, each up to its agent's own limit. The
 * unused slices of started tasks are not shared. Other resources are limited by `limits` alone. `starting` is
 * the number of tasks that start at the same time, if no calls of a turn do.
 */
export function sliceOf(
  leg: Leg,
  budget: Budget,
  limits: Partial<Budget>,
  starting?: number,
): Partial<Budget> {
  const { state } = leg.log;
  const { amounts } = remainingOf(state, leg.run.agent, leg.life.legMs());
  const run = openRun(state);
  const open = run === undefined ? [] : callsWithoutResult(run);
  const openTasks = run?.tasks.filter(({ over }) => !over) ?? [];
  const reserved = [...openTasks, ...open.filter(({ started }) => started?.slice !== undefined)];
  const isToStart = ({ started, toolName }: CallState) =>
    started === undefined && leg.run.agent.tools.get(toolName)?.delegate !== undefined;
  const tasksToStart = starting ?? open.filter(isToStart).length;
  const slice = { ...limits };
  for (const resource of SHARED) {
    const free = reserved.reduce((rest, call) => rest - reservedBy(call, resource), amounts[resource]);
    const share = Math.max(0, free) / tasksToStart;
    if (Number.isFinite(share)) slice[resource] = Math.min(share, budget[resource]);
  }
  return slice;
}
