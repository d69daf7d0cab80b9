import { anySignal } from "../../base/any-signal.ts";
import { withinDeadline } from "../../base/deadline.ts";
import { messageOf, PawlError } from "../../base/errors.ts";
import { toJson } from "../../base/json.ts";
import { once } from "../../base/once.ts";
import { isBlank } from "../../base/text.ts";
import type { Leg } from "../../leg/leg.ts";
import {
  outcomeUnknown,
  type QuestionEvent,
  type ResultEvent,
  resultEvent,
} from "../../session/close-calls.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { type Artifact, artifactAmong, artifactEvent, artifactOf } from "../../tools/artifact.ts";
import type { Delegate, Tool, ToolContext } from "../../tools/tool.ts";
import { askInRun } from "../hooks/ask-in-run.ts";
import { effectiveType } from "../hooks/call-hooks.ts";
import { afterTool } from "../hooks/tool-hooks.ts";
import { type Decided, type Runnable, successResult } from "./prepare-call.ts";
import { outcomeOf } from "./task-outcome.ts";

/**
 * Runs one call whose `tool_started` is stored, and stores its result. Rejects only if the log cannot be
 * written.
 */
export async function runCall(leg: Leg, runnable: Runnable): Promise<void> {
  const { call, tool } = runnable;
  const startedAt = leg.life.clock.now();
  const durationMs = () => leg.life.clock.now() - startedAt;
  const timeUp = once(() => new AbortController());
  const work = tool.delegate === undefined ? runTool : runAgent;
  const artifacts: Artifact[] = [];
  const settled = work(leg, runnable, { durationMs, timeUp, artifacts }).catch((cause: unknown) =>
    resultEvent(call, false, messageOf(cause), { durationMs: durationMs() }),
  );
  const event = await withinTime(leg, settled, tool, timeUp);
  const { progress, agents } = leg.live;
  const wasAgent = agents.delete(call.callId);
  if (progress.delete(call.callId) || wasAgent) leg.touch();
  if (event === "left") {
    leg.life.abandon();
    return;
  }
  if (event === undefined) void settled.then(() => reportLate(leg, call));
  const late = () => resultEvent(call, false, outcomeUnknown(leg.life.signal.aborted ? STOPPED : TOO_LONG));
  const outcome = event ?? late();
  const stored =
    event === undefined || outcome.type === "tool_suspended"
      ? outcome
      : await rewritten(leg, runnable, outcome);
  try {
    const made = stored.type === "tool_result" && stored.data.success ? artifacts.map(artifactEvent) : [];
    await leg.log.append([stored, ...made]);
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
  /** The artifacts that the call has made so far. */
  artifacts: Artifact[];
}

type DoCall = (leg: Leg, runnable: Runnable, progress: Progress) => Promise<Outcome>;

const runTool: DoCall = async (leg, { call, tool, input, answer }, { durationMs, timeUp, artifacts }) => {
  let signal: AbortSignal | undefined;
  const decided: Decided = {};
  const context: ToolContext<never> = {
    ...callContext(leg, call),
    deps: leg.deps as never,
    // The tool's own signal comes first: Node 24 takes the reason of the first aborted signal, and the leg's
    // signal always aborts when the leg is over.
    get signal() {
      signal ??= anySignal([timeUp().signal, leg.life.signal]);
      return signal;
    },
    answer,
    askModel: askInRun(leg, {
      by: tool.name,
      scope: `${call.assistantSeq}:${call.callId}`,
      signal: () => context.signal,
    }),
    createArtifact: (draft) => {
      const artifact = artifactOf(draft, leg.newId);
      artifacts.push(artifact);
      return artifact.artifact_id;
    },
    completeSession: () => {
      decided.completed = true;
    },
    setMode: (mode) => {
      decided.mode = mode;
    },
  };
  const value = await tool.execute?.(input, context);
  return successResult(call, tool, value, { ...decided, durationMs: durationMs() });
};

const runAgent: DoCall = async (leg, { call, tool, input }, { durationMs }) => {
  const delegate = tool.delegate as Delegate;
  const state = await leg.tasks.run(leg, { call, delegate, input, slice: call.started?.slice ?? {} });
  return state === undefined ? "left" : outcomeOf(call, state, durationMs());
};

/**
 * Applies the `afterTool` hooks to a result. If a hook changes the success, the tool's decisions about the
 * run and the session are dropped.
 */
async function rewritten(
  leg: Leg,
  { call, tool, input }: Pick<Runnable, "call" | "tool" | "input">,
  event: ResultEvent,
): Promise<ResultEvent> {
  const { success, result, content, ...decided } = event.data;
  const { callId } = call;
  const outcome = { callId, tool, input, success, result, ...(content !== undefined && { content }) };
  const wanted = await afterTool(leg, outcome);
  if (wanted === outcome) return event;
  const { spent } = decided;
  const kept = wanted.success === success ? decided : spent === undefined ? {} : { spent };
  // The API refuses an error without text.
  const blank = !wanted.success && typeof wanted.content === "string" && isBlank(wanted.content);
  return resultEvent(call, wanted.success, wanted.result, {
    ...(event.durationMs !== undefined && { durationMs: event.durationMs }),
    data: { ...kept, ...(wanted.content !== undefined && !blank && { content: wanted.content }) },
  });
}

/** Returns the call's idempotency key. It is fixed when the call first starts. */
export function idempotencyKeyOf(leg: Leg, call: CallState): string {
  return call.started?.idempotencyKey ?? `${leg.session.id}:${call.assistantSeq}:${call.callId}`;
}

/**
 * Returns the grace period of a stopped call, in milliseconds. A sub-agent needs more: it first waits for its
 * own calls, and then reports its usage.
 */
function graceOf({ life }: Leg, tool: Tool): number {
  return life.abortGraceMs * (1 + (tool.delegate?.depth ?? 0));
}

const STOPPED = "the run was stopped before it finished.";

const TOO_LONG = "it took too long.";

function callContext(leg: Leg, call: CallState) {
  const run = openRun(leg.log.state);
  return {
    sessionId: leg.session.id,
    userId: leg.session.userId,
    runId: run?.runId ?? "",
    params: run?.params ?? {},
    caller: leg.caller,
    credentials: leg.credentials,
    callId: call.callId,
    idempotencyKey: idempotencyKeyOf(leg, call),
    type: effectiveType(leg),
    read: leg.read,
    artifact: (id: string) => artifactAmong(leg.read({ types: ["artifact"] }), id),
    progress: (data: unknown) => {
      if (call.result !== undefined) return;
      const version = 1 + Math.max(0, ...[...leg.live.progress.values()].map((report) => report.version));
      leg.live.progress.set(call.callId, {
        tool_name: call.toolName,
        data: leg.hide(toJson(data)) ?? null,
        version,
      });
      leg.touch();
    },
  };
}

/**
 * Waits for the tool's result. Returns `undefined` if the tool's time limit, or the grace period after an
 * abort, is over first.
 */
async function withinTime<T>(
  leg: Leg,
  work: Promise<T>,
  tool: Tool,
  timeUp: Progress["timeUp"],
): Promise<T | undefined> {
  const { clock, signal } = leg.life;
  const { timeoutMs } = tool;
  const onTimeout = () => timeUp().abort(new Error(`The tool took longer than ${timeoutMs} ms.`));
  // The work itself never rejects.
  return await withinDeadline(
    { clock, signal, abortGraceMs: graceOf(leg, tool), timeoutMs, onTimeout },
    work,
  ).catch(() => undefined);
}

/**
 * Logs a result that came too late. The call was already answered, here or by the process that has taken over
 * the session.
 */
async function reportLate(leg: Leg, call: CallState): Promise<void> {
  await leg.report.logLate({
    code: "late_result",
    message: `"${call.toolName}" finished after its call had been answered.`,
    context: { call_id: call.callId },
  });
}
