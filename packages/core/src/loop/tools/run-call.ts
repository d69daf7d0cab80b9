import { type Deadline, withinDeadline } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import { lazy } from "../../base/once.ts";
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
import { afterBarrier } from "../leg/stored-first.ts";
import { type CallRecord, newCallRecord } from "./call-record.ts";
import { applyAfterToolHooks, successResult } from "./call-result.ts";
import { failureText, isRunAgain, reportLate, whyLate } from "./late-result.ts";
import type { Runnable } from "./prepare-call.ts";
import { toolContext } from "./tool-context.ts";

/** Calls that run at the same time. */
export interface CallGroup {
  /** The number of calls that have no result yet. */
  running: number;
}

/**
 * Runs one call whose `tool_started` is stored, and stores its result. The last result of the group is held,
 * so that the next append stores it with the next request. Rejects only if the log cannot be written.
 */
export async function runCall(leg: Leg, runnable: Runnable, group: CallGroup): Promise<void> {
  const { call, tool } = runnable;
  const startedAt = leg.life.clock.now();
  const durationMs = () => leg.life.clock.now() - startedAt;
  const timeUp = lazy(() => new AbortController());
  const doCall = tool.delegate === undefined ? runTool : runAgent;
  const record = newCallRecord();
  record.depth = runnable.agent?.depth ?? 0;
  const work = doCall(leg, runnable, { durationMs, timeUp, record }).catch((cause: unknown) => {
    record.thrown = { error: cause };
    const failed = resultEvent(call, false, failureText(leg, tool, cause), { durationMs: durationMs() });
    return withReport(failed, record, errorCodeOf(cause));
  });
  // `undefined` if the work did not settle in time.
  const outcome = await withinTime(leg, work, { tool, record, timeUp });
  record.closed = true;
  if (outcome !== "left" && record.output !== undefined) await (await record.output)?.end();
  // Readers no longer see the call as running.
  if (leg.readers.live.agents.delete(call.callId)) leg.readers.touch();
  if (outcome === "left" || isRunAgain(leg, tool, outcome)) {
    leg.life.abandon();
    return;
  }
  const isAbandoned = outcome === undefined;
  if (isAbandoned) void work.then(() => reportLate(leg, call));
  const event = outcome ?? withReport(resultEvent(call, false, outcomeUnknown(whyLate(leg))), record);
  const changed =
    isAbandoned || event.type === "tool_suspended"
      ? event
      : await applyAfterToolHooks(leg, runnable, event, record.thrown);
  try {
    // What a sub-agent has made stays, also if its task fails or waits for the user.
    const isKept = tool.delegate !== undefined || (changed.type === "tool_result" && changed.data.success);
    const artifacts = isKept ? record.artifacts.map(artifactEvent) : [];
    const kept = await leg.run.files.keep(changed, leg);
    group.running -= 1;
    // A question's expiry counts from the time at which it is stored, so it is not held.
    const mayBeHeld = !isAbandoned && kept.type === "tool_result";
    await leg.log.holdFacts([kept, ...artifacts], { mayWait: () => mayBeHeld && group.running === 0 });
  } catch (error) {
    if (!isAbandoned && PawlError.is(error, "fenced")) await reportLate(leg, call);
    throw error;
  }
}

/** The outcome of a call: its result, a question, or `left` if this process leaves the run to another one. */
type Outcome = ResultEvent | QuestionEvent | "left";

/** What the work of a call shares with `runCall`. */
interface CallInProgress {
  /** Returns how long the call has run, in milliseconds. */
  durationMs(): number;
  /**
   * Returns a controller that aborts when the tool's own time is up. Made on first use, because most tools
   * neither read their signal nor have a time limit.
   */
  timeUp(): AbortController;
  record: CallRecord;
}

/** Does the work of a call. */
type DoCall = (leg: Leg, runnable: Runnable, progress: CallInProgress) => Promise<Outcome>;

const runTool: DoCall = async (leg, { call, tool, input, answer }, { durationMs, timeUp, record }) => {
  const context = toolContext(leg, { call, answer, record, timeUp });
  try {
    const value = await afterBarrier(leg, () => tool.execute?.(input, context));
    if (record.left) return "left";
    // The tool has caught the exception of `context.ask()` or `context.wait()`.
    if (record.asked !== undefined) return midwayEvent(call, record);
    const decided = { ...record.decided, durationMs: durationMs() };
    const event = successResult(leg, { call, tool }, value, decided);
    return withReport(event instanceof Promise ? await event : event, record);
  } catch (cause) {
    if (record.left) return "left";
    // `context.ask()` and `context.wait()` end the tool by an exception.
    if (record.asked !== undefined) return midwayEvent(call, record);
    record.thrown = { error: cause };
    const failed = resultEvent(call, false, failureText(leg, tool, cause), { durationMs: durationMs() });
    // The result does not depend on this report.
    await leg.parts
      .load()
      .then(({ reportMistake }) => reportMistake(leg, tool, cause, "execute"))
      .catch(() => undefined);
    return withReport(failed, record, errorCodeOf(cause));
  }
};

/** Returns the event of a tool's question or wait while it runs, with the cost that it has reported. */
function midwayEvent(call: CallState, { asked, report }: CallRecord): QuestionEvent {
  const { spent } = reportFields(report);
  return questionEvent(call, { ...(asked as MidwayQuestion), ...(spent !== undefined && { spent }) });
}

/** Returns a result with the facts that the tool has reported, and with the code of its error. */
function withReport(event: ResultEvent, { report }: CallRecord, code?: string): ResultEvent {
  return { ...event, data: { ...event.data, ...reportFields(report, code) } };
}

const runAgent: DoCall = async (leg, { call, tool, input, agent }, { durationMs, record }) => {
  const delegate = tool.delegate as Delegate;
  if (agent === undefined) throw new Error("The task has no agent.");
  const slice = call.started?.slice ?? {};
  const done = await leg.run.tasks.run(leg, { call, delegate, agent, input, slice, durationMs });
  if (done === undefined) return "left";
  record.artifacts.push(...done.artifacts);
  return done.event;
};

/**
 * Waits for the work of a call. Resolves to `undefined` if the tool's time limit, or the grace period after
 * an abort, is over first. A sub-agent needs a longer period: it first waits for its own calls, and then
 * reports its usage.
 */
async function withinTime<T>(
  { life }: Leg,
  work: Promise<T>,
  { tool: { timeoutMs }, record, timeUp }: Pick<Runnable, "tool"> & Omit<CallInProgress, "durationMs">,
): Promise<T | undefined> {
  const { clock, signal } = life;
  const deadline: Deadline = {
    ...{ clock, signal, timeoutMs, onTimeout: () => timeUp().abort(tookTooLong(timeoutMs)) },
    // Read when the run is stopped: the tool may have given tasks to agents by then.
    get abortGraceMs() {
      return life.abortGraceMs * (1 + record.depth);
    },
  };
  // `work` never rejects, so a rejection is the deadline's.
  return await withinDeadline(deadline, work).catch(() => undefined);
}
