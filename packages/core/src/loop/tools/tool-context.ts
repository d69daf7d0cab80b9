import { invalidInput } from "../../base/invalid-input.ts";
import { anySignal, LazySignal } from "../../base/signals.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EmittedPart } from "../../log/event-parts.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { type Artifact, artifactAmong, artifactOf } from "../../tools/artifact.ts";
import { addedReport, type CallReport } from "../../tools/call-report.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { given, givenWithData } from "../../tools/tool-outcome.ts";
import { askInRun } from "../hooks/context-methods.ts";
import { effectiveType } from "../leg/effective-type.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallOutput, MidwayQuestion } from "../leg/part-types.ts";
import type { ToolDecisions } from "./call-result.ts";

/** The record of what a running tool has made and reported. It is stored with the call's result. */
export interface CallRecord {
  /** Whether the call has its result, so that the tool can add nothing more. */
  closed: boolean;
  /** The artifacts that the tool has created. */
  artifacts: Artifact[];
  decided: ToolDecisions;
  report: CallReport;
  /** The question that the tool asks the user instead of returning a result, or its wait for a time. */
  asked: MidwayQuestion | undefined;
  /** What the call shows to readers, once the tool has reported progress or emitted a part. */
  output?: Promise<CallOutput | undefined>;
  /** What the tool threw. */
  thrown?: { error: unknown };
}

/** Returns the record of a tool that has made and reported nothing yet. */
export function newCallRecord(): CallRecord {
  return { closed: false, artifacts: [], decided: {}, report: {}, asked: undefined };
}

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
    ask: (question) => {
      checkOpen(call, record);
      if (leg.run.agent.tools.get(call.toolName)?.suspends !== undefined)
        throw invalidInput("A tool with `suspends` asks before it runs, and cannot also ask while it runs.");
      record.asked = leg.parts.question(question);
      throw new Error(`"${call.toolName}" asks the user, so this run of its \`execute\` is over.`);
    },
    wait: (moment) => {
      checkOpen(call, record);
      if (leg.run.agent.tools.get(call.toolName)?.suspends !== undefined)
        throw invalidInput("A tool with `suspends` asks before it runs, and cannot wait while it runs.");
      record.asked = leg.parts.wait(moment);
      throw new Error(`"${call.toolName}" waits for a time, so this run of its \`execute\` is over.`);
    },
    askModel: askInRun(leg, {
      by: call.toolName,
      scope: `${call.assistantSeq}:${call.callId}`,
      signal: () => lazy.signal,
    }),
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

/** Returns whether the call has its result, which may not be stored yet. */
function isOver(call: CallState, record: CallRecord): boolean {
  return record.closed || call.result !== undefined;
}

/** Throws if the call has its result. */
function checkOpen(call: CallState, record: CallRecord): void {
  if (isOver(call, record))
    throw invalidInput("The call has its result already, so its tool can add nothing more.");
}

/** Returns the answer to the question that the tool asked while it ran; `undefined` without one. */
function answeredBy({ question, answer, questions }: CallState): ToolContext["answered"] {
  if (!question?.midway || answer === undefined) return undefined;
  const { value, expired } = answer;
  return { value, state: question.state ?? null, questions, ...(expired && { expired }) };
}
