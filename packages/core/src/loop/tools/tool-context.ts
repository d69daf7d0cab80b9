import { anySignal, LazySignal } from "../../base/signals.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EmittedPart } from "../../log/event-parts.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { artifactAmong, artifactOf } from "../../tools/artifact.ts";
import { addedReport } from "../../tools/call-report.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { given, givenWithData } from "../../tools/tool-outcome.ts";
import { askInRun, handled } from "../hooks/context-methods.ts";
import { effectiveType } from "../leg/effective-type.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallOutput } from "../leg/part-types.ts";
import { type CallRecord, checkOpen, isOver } from "./call-record.ts";
import { answeredBy, midway } from "./midway.ts";

/** A call of a tool that is about to run. */
interface RunningCall {
  call: CallState;
  answer: unknown;
  record: CallRecord;
  /** Returns the controller that aborts when the tool's own time is up. */
  timeUp(): AbortController;
}

/** Returns the second argument of a tool's `execute`. */
export function toolContext(leg: Leg, { call, answer, record, timeUp }: RunningCall): ToolContext<never> {
  const run = openRun(leg.log.state);
  // The signal of the tool's time limit comes first: Node 24 takes the reason of the first aborted signal in
  // the list, and the leg's signal always aborts when the leg is over.
  const lazy = new LazySignal(() => anySignal([timeUp().signal, leg.life.signal]));
  const context: Omit<ToolContext<never>, "signal"> = {
    sessionId: leg.run.session.id,
    userId: leg.run.session.userId,
    runId: run?.runId ?? "",
    params: run?.params ?? {},
    caller: leg.access.caller,
    credentials: leg.access.credentials,
    callId: call.callId,
    idempotencyKey: idempotencyKeyOf(leg, call),
    type: effectiveType(leg),
    read: leg.run.read,
    artifact: (id) => artifactAmong(leg.run.read({ types: ["artifact"] }), id),
    deps: leg.access.deps as never,
    answer,
    answered: answeredBy(call),
    ...midway(leg, call, record),
    askModel: askInRun(leg, {
      by: call.toolName,
      scope: `${call.assistantSeq}:${call.callId}`,
      signal: () => lazy.signal,
    }),
    runAgent: (...args) =>
      handled(
        leg.parts.load().then((parts) => parts.agentOfTool(leg, call, record, () => lazy.signal)(...args)),
      ),
    progress: (data, options) => {
      if (isOver(call, record)) return;
      const report = given(data);
      void shownBy(leg, call, record).then((output) => output?.progress(report, options));
    },
    emit: (part) => {
      const emitted = emit(leg, call, record, part);
      emitted.catch(() => undefined);
      return emitted;
    },
    report: (facts) => {
      checkOpen(call, record);
      record.report = addedReport(record.report, facts);
    },
    append: (event) => {
      const stored = appended(leg, call, record, event);
      // A tool that does not wait for its append must not end the process if the append fails.
      stored.catch(() => undefined);
      return stored;
    },
    createArtifact: (draft) => {
      const artifact = artifactOf(draft, leg.run.newId);
      record.artifacts.push(artifact);
      return artifact.artifact_id;
    },
    completeSession: () => {
      record.decided.completed = true;
    },
    setMode: (mode) => {
      record.decided.mode = mode;
    },
  };
  return Object.assign(lazy, context);
}

/** Returns the call's idempotency key. It is fixed when the call first starts. */
export function idempotencyKeyOf(leg: Leg, call: CallState): string {
  return call.started?.idempotencyKey ?? `${leg.run.session.id}:${call.assistantSeq}:${call.callId}`;
}

/** Returns what the call shows to readers; `undefined` if its code cannot be loaded. */
function shownBy(leg: Leg, call: CallState, record: CallRecord): Promise<CallOutput | undefined> {
  record.output ??= leg.parts.load().then(
    ({ callOutput }) => callOutput(leg, call),
    () => undefined,
  );
  return record.output;
}

/** Stores or shows a part of a running tool. Rejects if the call has its result. */
async function emit(leg: Leg, call: CallState, record: CallRecord, part: EmittedPart): Promise<void> {
  checkOpen(call, record);
  const copy = givenWithData(part);
  const output = await shownBy(leg, call, record);
  await (output ?? (await leg.parts.load()).callOutput(leg, call)).emit(...copy);
}

/** Stores an event of a running tool. Rejects if the call has its result. */
async function appended(
  leg: Leg,
  call: CallState,
  record: CallRecord,
  event: AppendableEvent,
): Promise<boolean> {
  checkOpen(call, record);
  const copy = givenWithData(event);
  return await (await leg.parts.load()).appendEvent(leg, "tool", ...copy);
}
