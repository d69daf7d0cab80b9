import pLimit from "p-limit";
import { clipResults } from "../context/clip.ts";
import { messageOf, PawlError } from "../errors.ts";
import type { NewEvent } from "../events/event.ts";
import { effectiveType } from "../hooks/call-hooks.ts";
import { afterTool } from "../hooks/tool-hooks.ts";
import { toJson } from "../json.ts";
import { type Leg, withinLeg } from "../leg.ts";
import { closeCalls, outcomeUnknown, resultEvent } from "../session/close.ts";
import { type CallState, openRun } from "../session/state.ts";
import { type Decided, type Prepared, prepareCall, type Runnable, succeed } from "./prepare.ts";
import type { Tool, ToolContext } from "./tool.ts";

/**
 * Takes the calls of a turn as far as they go: prepared one by one, run side by side, each result stored as it comes.
 * One call's failure is its own result and touches no other.
 */
export async function runTools(leg: Leg, calls: readonly CallState[]): Promise<void> {
  if (leg.signal.aborted) {
    await leg.log.append(closeCalls(calls, "the time for this request is nearly up."));
    return;
  }
  const events: NewEvent[] = [];
  const runnable: Runnable[] = [];
  for (const call of calls) {
    const prepared = await withinLeg(leg, prepareCall(leg, call)).catch((cause: unknown): Prepared => {
      if (PawlError.is(cause, "fenced") || PawlError.is(cause, "store_unavailable")) throw cause;
      // A schema that hangs is left behind with the run: closing the run answers the call.
      const events = leg.signal.aborted ? [] : [resultEvent(call, false, messageOf(cause))];
      return { do: "store", events };
    });
    if (prepared.do === "run") runnable.push(prepared);
    else events.push(...prepared.events);
  }
  if (events.length > 0) await leg.log.append(clipResults(leg.agent, events));
  const { toolConcurrency } = leg.agent;
  if (runnable.length <= toolConcurrency) return await runSideBySide(leg, runnable);
  const limit = pLimit(toolConcurrency);
  await all(runnable.map((one) => limit(() => runSideBySide(leg, [one]))));
}

/** Stores that the calls have started, in one append, and then starts them. */
async function runSideBySide(leg: Leg, calls: readonly Runnable[]): Promise<void> {
  if (calls.length === 0 || leg.signal.aborted) return;
  await leg.log.append(calls.map((one) => startedEvent(leg, one)));
  await all(calls.map((one) => runCall(leg, one)));
}

/** Waits for all, also if one fails. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function startedEvent(leg: Leg, { call, tool, changed }: Runnable): NewEvent {
  return {
    type: "tool_started",
    data: {
      tool_name: tool.name,
      call_id: call.callId,
      idempotency_key: idempotencyKeyOf(leg, call),
      ...(tool.status.start !== undefined && { status: tool.status.start }),
      ...(changed !== undefined && { input: changed }),
    },
  };
}

/** The first start says it once and for all. */
function idempotencyKeyOf(leg: Leg, call: CallState): string {
  return call.started?.idempotencyKey ?? `${leg.session.id}:${call.assistantSeq}:${call.callId}`;
}

/** Runs one call that is stored as started. Rejects only when the log cannot be written. */
async function runCall(leg: Leg, { call, tool, input, answer }: Runnable): Promise<void> {
  const startedAt = leg.clock.now();
  const control = new AbortController();
  let signal: AbortSignal | undefined;
  const decided: Decided = {};
  const context: ToolContext<never> = {
    ...callContext(leg, call),
    deps: leg.deps as never,
    // Made when it is asked for: most tools never look.
    get signal() {
      signal ??= AbortSignal.any([leg.signal, control.signal]);
      return signal;
    },
    answer,
    completeSession: () => {
      decided.completed = true;
    },
    setMode: (mode) => {
      decided.mode = mode;
    },
  };
  const work = (async () => tool.execute?.(input, context))().then(
    (value) => succeed(call, tool, value, { ...decided, durationMs: leg.clock.now() - startedAt }),
    (cause) => resultEvent(call, false, messageOf(cause), { durationMs: leg.clock.now() - startedAt }),
  );
  const settled = work.catch((cause: unknown) => resultEvent(call, false, messageOf(cause)));
  const event = await withinTime(leg, settled, control, tool.timeoutMs);
  leg.live.progress.delete(call.callId);
  if (event === undefined) void settled.then(() => reportLate(leg, call));
  const result =
    event === undefined
      ? resultEvent(call, false, outcomeUnknown(leg.signal.aborted ? STOPPED : TOO_LONG))
      : await rewritten(leg, call, tool, input, event);
  try {
    await leg.log.append(clipResults(leg.agent, [result]));
  } catch (error) {
    if (event !== undefined && PawlError.is(error, "fenced")) await reportLate(leg, call);
    throw error;
  }
}

type ResultEvent = ReturnType<typeof resultEvent>;

/** The result as the hooks want it. */
async function rewritten(
  leg: Leg,
  { callId }: CallState,
  tool: Tool,
  input: unknown,
  event: ResultEvent,
): Promise<ResultEvent> {
  const { success, result, content } = event.data;
  const outcome = { callId, tool, input, success, result, ...(content !== undefined && { content }) };
  const change = await afterTool(leg, outcome);
  return Object.keys(change).length === 0 ? event : { ...event, data: { ...event.data, ...change } };
}

const STOPPED = "the run was stopped before it came back.";
const TOO_LONG = "it took too long.";

function callContext(leg: Leg, call: CallState) {
  return {
    sessionId: leg.session.id,
    userId: leg.session.userId,
    runId: openRun(leg.log.state)?.runId ?? "",
    callId: call.callId,
    idempotencyKey: idempotencyKeyOf(leg, call),
    type: effectiveType(leg),
    progress: (data: unknown) => {
      if (call.result !== undefined) return;
      const version = 1 + Math.max(0, ...[...leg.live.progress.values()].map((report) => report.version));
      leg.live.progress.set(call.callId, { tool_name: call.toolName, data: toJson(data) ?? null, version });
      leg.touch();
    },
  };
}

/** The tool's own result if it comes in time; `undefined` once its time, or the grace after an abort, is over. */
async function withinTime<T>(
  { signal, abortGraceMs, clock }: Leg,
  work: Promise<T>,
  control: AbortController,
  timeoutMs: number | undefined,
): Promise<T | undefined> {
  const timers: (() => void)[] = [];
  const after = (ms: number, then: () => void) => timers.push(clock.after(ms, then));
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const onAbort = () => after(abortGraceMs, () => resolve(undefined));
  try {
    void work.then(resolve);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    if (timeoutMs !== undefined) {
      after(timeoutMs, () => {
        control.abort(new Error(`The tool took longer than ${timeoutMs} ms.`));
        resolve(undefined);
      });
    }
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const cancel of timers) cancel();
  }
}

/** The call has been answered without its result, here or by the process that took the session over. */
async function reportLate(leg: Leg, call: CallState): Promise<void> {
  await leg.reportLate({
    code: "late_result",
    message: `"${call.toolName}" came back after its call had been answered.`,
    context: { call_id: call.callId },
  });
}
