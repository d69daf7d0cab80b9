import { invalidInput } from "../../base/invalid-input.ts";
import { toJson } from "../../base/json.ts";
import { anySignal, LazySignal } from "../../base/signals.ts";
import type { AppendableEvent } from "../../log/event.ts";
import { type CallState, openRun } from "../../session/state.ts";
import { type Artifact, artifactAmong, artifactOf } from "../../tools/artifact.ts";
import { addedReport, type CallReport } from "../../tools/call-report.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { askInRun } from "../hooks/call-hooks.ts";
import { effectiveType } from "../leg/effective-type.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallProgress, MidwayQuestion, Reported } from "../leg/part-types.ts";
import type { Decided } from "./call-result.ts";

/** What a running tool has made and reported so far. It is stored with the call's result. */
export interface ToolSaid extends Reported {
  /** Whether the call has its result, so that the tool can add nothing more. */
  closed: boolean;
  artifacts: Artifact[];
  decided: Decided;
  report: CallReport;
  /** The question that the tool asks the user instead of returning a result, or its wait for a time. */
  asked: MidwayQuestion | undefined;
  /** The call's progress, once the tool has reported any. */
  progress?: Promise<CallProgress | undefined>;
  /** What the tool threw. */
  thrown?: { error: unknown };
}

export function newToolSaid(): ToolSaid {
  return { closed: false, artifacts: [], decided: {}, report: {}, asked: undefined };
}

/** A call of a tool that is about to run. */
interface RunningCall {
  call: CallState;
  answer: unknown;
  said: ToolSaid;
  /** Returns the controller that aborts when the tool's own time is up. */
  timeUp(): AbortController;
}

/** Returns the second argument of a tool's `execute`. */
export function toolContext(leg: Leg, { call, answer, said, timeUp }: RunningCall): ToolContext<never> {
  const run = openRun(leg.log.state);
  // The tool's own signal comes first: Node 24 takes the reason of the first aborted signal, and the leg's
  // signal always aborts when the leg is over.
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
      checkOpen(call, said);
      if (leg.run.agent.tools.get(call.toolName)?.suspends !== undefined)
        throw invalidInput("A tool with `suspends` asks before it runs, and cannot also ask while it runs.");
      said.asked = leg.parts.question(question);
      throw new Error(`"${call.toolName}" asks the user, so this run of its \`execute\` is over.`);
    },
    wait: (moment) => {
      checkOpen(call, said);
      if (leg.run.agent.tools.get(call.toolName)?.suspends !== undefined)
        throw invalidInput("A tool with `suspends` asks before it runs, and cannot wait while it runs.");
      said.asked = leg.parts.wait(moment);
      throw new Error(`"${call.toolName}" waits for a time, so this run of its \`execute\` is over.`);
    },
    askModel: askInRun(leg, {
      by: call.toolName,
      scope: `${call.assistantSeq}:${call.callId}`,
      signal: () => lazy.signal,
    }),
    progress: (data) => {
      if (isOver(call, said)) return;
      said.latest = leg.access.hide(toJson(data)) ?? null;
      said.progress ??= leg.parts.load().then(
        ({ callProgress }) => callProgress(leg, call, said),
        () => undefined,
      );
      void said.progress.then((progress) => progress?.changed());
    },
    report: (facts) => {
      checkOpen(call, said);
      said.report = addedReport(said.report, facts);
    },
    append: (event) => {
      const stored = appended(leg, call, said, event);
      // A tool that does not wait for its append must not end the process if the append fails.
      stored.catch(() => undefined);
      return stored;
    },
    createArtifact: (draft) => {
      const artifact = artifactOf(draft, leg.run.newId);
      said.artifacts.push(artifact);
      return artifact.artifact_id;
    },
    completeSession: () => {
      said.decided.completed = true;
    },
    setMode: (mode) => {
      said.decided.mode = mode;
    },
  };
  return Object.assign(lazy, context);
}

/** Returns the call's idempotency key. It is fixed when the call first starts. */
export function idempotencyKeyOf(leg: Leg, call: CallState): string {
  return call.started?.idempotencyKey ?? `${leg.run.session.id}:${call.assistantSeq}:${call.callId}`;
}

async function appended(leg: Leg, call: CallState, said: ToolSaid, event: AppendableEvent): Promise<boolean> {
  checkOpen(call, said);
  return await leg.parts.appendOfTool(event);
}

/** Returns whether the call has its result, which may not be stored yet. */
function isOver(call: CallState, said: ToolSaid): boolean {
  return said.closed || call.result !== undefined;
}

function checkOpen(call: CallState, said: ToolSaid): void {
  if (isOver(call, said))
    throw invalidInput("The call has its result already, so its tool can add nothing more.");
}

/** Returns the answer with which a tool that asked while it ran continues. */
function answeredBy({ question, answer, questions }: CallState): ToolContext["answered"] {
  if (!question?.midway || answer === undefined) return undefined;
  const { value, expired } = answer;
  return { value, state: question.state ?? null, questions, ...(expired && { expired }) };
}
