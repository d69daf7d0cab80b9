import { withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import {
  outcomeUnknown,
  type QuestionEvent,
  questionEvent,
  type ResultEvent,
  resultEvent,
} from "../../session/close-calls.ts";
import type { CallState } from "../../session/state.ts";
import { artifactEvent } from "../../tools/artifact.ts";
import { errorCodeOf, reportFields } from "../../tools/call-report.ts";
import type { Delegate } from "../../tools/tool.ts";
import { tookTooLong } from "../../tools/tool-outcome.ts";
import type { Leg } from "../leg/leg.ts";
import type { MidwayQuestion } from "../leg/part-types.ts";
import { asked } from "../leg/stored-first.ts";
import { rewritten, successResult } from "./call-result.ts";
import { failureText, isRunAgain, reportLate, whyLate } from "./late-result.ts";
import type { Runnable } from "./prepare-call.ts";
import { newToolSaid, type ToolSaid, toolContext } from "./tool-context.ts";

/** Calls that run at the same time. */
export interface CallGroup {
  /** How many have no result yet. */
  running: number;
}

/**
 * Runs one call whose `tool_started` is stored, and stores its result. The last results of the group are
 * stored together with what follows from them. Rejects only if the log cannot be written.
 */
export async function runCall(leg: Leg, runnable: Runnable, group: CallGroup): Promise<void> {
  const { call, tool } = runnable;
  const startedAt = leg.life.clock.now();
  const durationMs = () => leg.life.clock.now() - startedAt;
  const timeUp = once(() => new AbortController());
  const work = tool.delegate === undefined ? runTool : runAgent;
  const said = newToolSaid();
  const settled = work(leg, runnable, { durationMs, timeUp, said }).catch((cause: unknown) => {
    said.thrown = { error: cause };
    const failed = resultEvent(call, false, failureText(leg, cause), { durationMs: durationMs() });
    return withReport(failed, said, errorCodeOf(cause));
  });
  const event = await withinTime(leg, settled, runnable, timeUp);
  said.closed = true;
  if (event !== "left" && said.progress !== undefined) await (await said.progress)?.end();
  const { progress, agents } = leg.readers.live;
  const wasAgent = agents.delete(call.callId);
  if (progress.delete(call.callId) || wasAgent) leg.readers.touch();
  if (event === "left" || isRunAgain(leg, tool, event)) {
    leg.life.abandon();
    return;
  }
  if (event === undefined) void settled.then(() => reportLate(leg, call));
  const late = () => withReport(resultEvent(call, false, outcomeUnknown(whyLate(leg))), said);
  const outcome = event ?? late();
  const stored =
    event === undefined || outcome.type === "tool_suspended"
      ? outcome
      : await rewritten(leg, runnable, outcome, said.thrown);
  try {
    const made =
      stored.type === "tool_result" && stored.data.success ? said.artifacts.map(artifactEvent) : [];
    const kept = await leg.run.files.keep(stored, leg);
    group.running -= 1;
    // A question's expiry counts from the time at which it is stored, so it is not held.
    const isResult = event !== undefined && kept.type === "tool_result";
    await leg.log.hold([kept, ...made], { mayWait: () => isResult && group.running === 0 });
  } catch (error) {
    if (event !== undefined && PawlError.is(error, "fenced")) await reportLate(leg, call);
    throw error;
  }
}

/** The outcome of a call. `left` means that this process leaves the run to another process. */
type Outcome = ResultEvent | QuestionEvent | "left";

interface Progress {
  durationMs(): number;
  /**
   * Returns a controller that aborts when the tool's own time is up. Made on first use, because most tools
   * neither read their signal nor have a time limit.
   */
  timeUp(): AbortController;
  said: ToolSaid;
}

type DoCall = (leg: Leg, runnable: Runnable, progress: Progress) => Promise<Outcome>;

const runTool: DoCall = async (leg, { call, tool, input, answer }, { durationMs, timeUp, said }) => {
  const context = toolContext(leg, { call, answer, said, timeUp });
  try {
    const value = await asked(leg, () => tool.execute?.(input, context));
    if (said.asked !== undefined) return asking(call, said);
    const { decided } = said;
    const more = { ...decided, durationMs: durationMs() };
    const event = successResult(leg, { call, tool }, value, more);
    return withReport(event instanceof Promise ? await event : event, said);
  } catch (cause) {
    if (said.asked !== undefined) return asking(call, said);
    said.thrown = { error: cause };
    const failed = resultEvent(call, false, failureText(leg, cause), { durationMs: durationMs() });
    return withReport(failed, said, errorCodeOf(cause));
  }
};

/** Returns the event for the question that a tool asks while it runs, with the cost that it has reported. */
function asking(call: CallState, { asked, report }: ToolSaid): QuestionEvent {
  const { spent } = reportFields(report);
  return questionEvent(call, { ...(asked as MidwayQuestion), ...(spent !== undefined && { spent }) });
}

/** Adds to a result what the tool has reported. */
function withReport(event: ResultEvent, { report }: ToolSaid, code?: string): ResultEvent {
  return { ...event, data: { ...event.data, ...reportFields(report, code) } };
}

const runAgent: DoCall = async (leg, { call, tool, input, agent }, { durationMs }) => {
  const delegate = tool.delegate as Delegate;
  if (agent === undefined) throw new Error("The task has no agent.");
  const slice = call.started?.slice ?? {};
  return (await leg.run.tasks.run(leg, { call, delegate, agent, input, slice, durationMs })) ?? "left";
};

/**
 * Returns the grace period of a stopped call, in milliseconds. A sub-agent needs more: it first waits for its
 * own calls, and then reports its usage.
 */
function graceOf({ life }: Leg, { agent }: Runnable): number {
  return life.abortGraceMs * (1 + (agent?.depth ?? 0));
}

/**
 * Waits for the tool's result. Returns `undefined` if the tool's time limit, or the grace period after an
 * abort, is over first.
 */
async function withinTime<T>(
  leg: Leg,
  work: Promise<T>,
  runnable: Runnable,
  timeUp: Progress["timeUp"],
): Promise<T | undefined> {
  const { clock, signal } = leg.life;
  const { timeoutMs } = runnable.tool;
  const onTimeout = () => timeUp().abort(tookTooLong(timeoutMs));
  // The work itself never rejects.
  return await withinDeadline(
    { clock, signal, abortGraceMs: graceOf(leg, runnable), timeoutMs, onTimeout },
    work,
  ).catch(() => undefined);
}
