import pLimit from "p-limit";
import { clipResults } from "../context/clip.ts";
import { messageOf, PawlError } from "../errors.ts";
import type { NewEvent } from "../events/event.ts";
import { toJson } from "../json.ts";
import { type Leg, withinLeg } from "../leg.ts";
import { outcomeUnknown, resultEvent } from "../session/close.ts";
import { type CallState, openRun } from "../session/state.ts";
import { type Prepared, prepareCall, succeed } from "./prepare.ts";
import type { ToolContext } from "./tool.ts";

type Runnable = Extract<Prepared, { do: "run" }>;

/**
 * Takes the calls of a turn as far as they go: prepared one by one, run side by side, each result stored as it comes.
 * One call's failure is its own result and touches no other.
 */
export async function runTools(leg: Leg, calls: readonly CallState[]): Promise<void> {
  const events: NewEvent[] = [];
  const runnable: Runnable[] = [];
  for (const call of calls) {
    const prepared = await withinLeg(leg, prepareCall(leg, call)).catch((cause: unknown): Prepared => {
      // A schema that hangs is left behind with the run: closing the run answers the call.
      const events = leg.signal.aborted ? [] : [resultEvent(call, false, messageOf(cause))];
      return { do: "store", events };
    });
    if (prepared.do === "run") runnable.push(prepared);
    else events.push(...prepared.events);
  }
  if (events.length > 0) await leg.log.append(clipResults(leg.agent, events));
  const { toolConcurrency } = leg.agent;
  const limit = runnable.length > toolConcurrency ? pLimit(toolConcurrency) : undefined;
  const outcomes = await Promise.allSettled(
    runnable.map((one) => (limit === undefined ? runCall(leg, one) : limit(() => runCall(leg, one)))),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Runs one call. Rejects only when the log cannot be written. */
async function runCall(leg: Leg, { call, tool, input, answer }: Runnable): Promise<void> {
  if (leg.signal.aborted) return;
  const idempotencyKey =
    call.started?.idempotencyKey ?? `${leg.session.id}:${call.assistantSeq}:${call.callId}`;
  await leg.log.append([
    {
      type: "tool_started",
      data: {
        tool_name: tool.name,
        call_id: call.callId,
        idempotency_key: idempotencyKey,
        ...(tool.status.start !== undefined && { status: tool.status.start }),
      },
    },
  ]);
  const startedAt = leg.now();
  const control = new AbortController();
  let signal: AbortSignal | undefined;
  let completed = false;
  const context: ToolContext<never> = {
    ...callContext(leg, call, idempotencyKey),
    deps: leg.deps as never,
    // Made when it is asked for: most tools never look.
    get signal() {
      signal ??= AbortSignal.any([leg.signal, control.signal]);
      return signal;
    },
    answer,
    completeSession: () => {
      completed = true;
    },
  };
  const work = (async () => tool.execute?.(input, context))().then(
    (value) => succeed(call, tool, value, leg.now() - startedAt, completed),
    (cause) => resultEvent(call, false, messageOf(cause), { durationMs: leg.now() - startedAt }),
  );
  const settled = work.catch((cause: unknown) => resultEvent(call, false, messageOf(cause)));
  const event = await withinTime(leg, settled, control, tool.timeoutMs);
  leg.live.progress.delete(call.callId);
  if (event === undefined) void settled.then(() => reportLate(leg, call));
  const result = event ?? resultEvent(call, false, outcomeUnknown(leg.signal.aborted ? STOPPED : TOO_LONG));
  try {
    await leg.log.append(clipResults(leg.agent, [result]));
  } catch (error) {
    if (event !== undefined && PawlError.is(error, "fenced")) await reportLate(leg, call);
    throw error;
  }
}

const STOPPED = "the run was stopped before it came back.";
const TOO_LONG = "it took too long.";

function callContext(leg: Leg, call: CallState, idempotencyKey: string) {
  return {
    sessionId: leg.session.id,
    userId: leg.session.userId,
    runId: openRun(leg.log.state)?.runId ?? "",
    callId: call.callId,
    idempotencyKey,
    progress: (data: unknown) => {
      if (call.result !== undefined) return;
      const version = 1 + Math.max(0, ...[...leg.live.progress.values()].map((report) => report.version));
      leg.live.progress.set(call.callId, { tool_name: call.toolName, data: toJson(data) ?? null, version });
      leg.touch();
    },
  };
}

/** The tool's own result if it comes in time; `undefined` once its time, or the grace after an abort, is over. */
async function withinTime(
  leg: Leg,
  work: Promise<NewEvent>,
  control: AbortController,
  timeoutMs: number | undefined,
): Promise<NewEvent | undefined> {
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void) => timers.push(setTimeout(then, ms));
  const { promise, resolve } = Promise.withResolvers<NewEvent | undefined>();
  const onAbort = () => after(leg.abortGraceMs, () => resolve(undefined));
  try {
    void work.then(resolve);
    if (leg.signal.aborted) onAbort();
    else leg.signal.addEventListener("abort", onAbort, { once: true });
    if (timeoutMs !== undefined) {
      after(timeoutMs, () => {
        control.abort(new Error(`The tool took longer than ${timeoutMs} ms.`));
        resolve(undefined);
      });
    }
    return await promise;
  } finally {
    leg.signal.removeEventListener("abort", onAbort);
    for (const timer of timers) clearTimeout(timer);
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
