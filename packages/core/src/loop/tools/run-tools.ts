import pLimit from "p-limit";
import { messageOf, PawlError, storeFailed } from "../../base/errors.ts";
import type { Leg } from "../../leg/leg.ts";
import type { NewEvent } from "../../log/event.ts";
import { storedBudget } from "../../log/stored-budget.ts";
import { closeCalls, resultEvent } from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import { type Prepared, prepareCall, type Runnable } from "./prepare-call.ts";
import { runCall } from "./run-call.ts";
import { sliceOf } from "./task-slice.ts";
import { idempotencyKeyOf } from "./tool-context.ts";

/**
 * Runs the calls of a turn: prepares them one by one, runs them concurrently, and stores each result as it
 * arrives. A call that fails affects no other call.
 */
export async function runTools(leg: Leg, calls: readonly CallState[]): Promise<void> {
  if (leg.life.signal.aborted) {
    // The only possible cause is that the time for the last turn has begun. A halted run ends, and a lost
    // lease leaves the loop, before `decide` reaches the calls.
    await leg.log.append(closeCalls(calls, "the time for this request is nearly up."));
    return;
  }
  const events: NewEvent[] = [];
  const runnable: Runnable[] = [];
  for (const call of calls) {
    const prepared = await prepareCall(leg, call).catch((cause: unknown): Prepared => {
      if (PawlError.is(cause, "fenced") || storeFailed(cause)) throw cause;
      // A schema check that hangs is abandoned with the run. The call is answered when the run is closed.
      if (leg.life.signal.aborted) return { do: "store", events: [] };
      // Code of the application that should never throw: a schema, `payload`, or `agents` of agentTool().
      leg.report.failed(cause);
      return { do: "store", events: [resultEvent(call, false, messageOf(cause))] };
    });
    if (prepared.do === "run") runnable.push(prepared);
    else events.push(...prepared.events);
  }
  if (events.length > 0) await leg.log.append(await Promise.all(events.map(leg.files.keep)));
  const { toolConcurrency } = leg.agent;
  if (runnable.length <= toolConcurrency) return await runSideBySide(leg, runnable);
  const limit = pLimit(toolConcurrency);
  await all(runnable.map((one) => limit(() => runSideBySide(leg, [one]))));
}

/**
 * Stores the `tool_started` of all calls in one append, then starts the calls. If an answer has come from
 * another caller meanwhile, starts none: the loop prepares them again, because their hooks have agreed to
 * what the earlier caller may do.
 */
async function runSideBySide(leg: Leg, calls: readonly Runnable[]): Promise<void> {
  if (calls.length === 0 || leg.life.signal.aborted || leg.hasNewCaller) return;
  await leg.log.append(calls.map((one) => startedEvent(leg, one)));
  await all(calls.map((one) => runCall(leg, one)));
}

/** Waits for all work to settle, then throws the first error. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function startedEvent(leg: Leg, { call, tool, agent, changed }: Runnable): NewEvent {
  const slice =
    tool.delegate && agent && (call.started?.slice ?? sliceOf(leg, agent.budget, tool.delegate.limits));
  return {
    type: "tool_started",
    data: {
      tool_name: tool.name,
      call_id: call.callId,
      idempotency_key: idempotencyKeyOf(leg, call),
      ...(tool.status.start !== undefined && { status: tool.status.start }),
      ...(changed !== undefined && { input: changed }),
      ...(slice !== undefined && { slice: storedBudget(slice) }),
      ...(agent !== undefined && tool.delegate?.fixed === undefined && { agent: agent.name }),
      ...(!tool.idempotent && { idempotent: false }),
    },
  };
}
