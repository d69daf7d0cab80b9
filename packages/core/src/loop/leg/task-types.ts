import type { Budget } from "../../log/budget.ts";
import type { EventData } from "../../log/event-data.ts";
import type { Spent } from "../../log/tokens.ts";
import type { QuestionEvent, ResultEvent } from "../../session/close-calls.ts";
import type { CallState, RunState, SessionState } from "../../session/state.ts";
import type { Artifact } from "../../tools/artifact.ts";
import type { TaskAgent } from "../../tools/run-agent-types.ts";
import type { Delegate } from "../../tools/tool.ts";
import type { Asker, MidwayQuestion } from "./part-types.ts";

/** A hook or a tool that gives tasks to agents. */
export interface TaskGiver extends Asker {
  /** The call of the tool; `undefined` for a hook. */
  call: CallState | undefined;
  /** Throws if the call has its result. */
  check(): void;
  /** Notes the agent of a task for which the hook or tool waits. */
  waitsFor(agent: TaskAgent): void;
  /** Has the user asked the question of an agent. Throws if the hook or tool cannot pass on questions. */
  ask(question: MidwayQuestion): never;
  /** Ends the hook or tool, because this process leaves the run. */
  leave(): never;
}

/** A call whose work a sub-agent does. */
export interface Delegated {
  call: CallState;
  delegate: Delegate;
  agent: TaskAgent;
  input: unknown;
  /** The part of the caller's budget that the sub-agent may use. */
  slice: Partial<Budget>;
  /** Returns how long the call has run, in milliseconds. */
  durationMs(): number;
}

/** The work on a task in the session of its own. `call` has the question and the answer to pass on. */
export interface TaskWork {
  call: CallState;
  agent: TaskAgent;
  message: string;
  slice: Partial<Budget>;
  /** Stops the task. */
  signal: AbortSignal;
  /** What clients of the caller's session see of the agent's work, and the call with which they see it. */
  shown?: { with: CallState; what: "text" | "all" } | undefined;
  /** What the agent reads before the message. Default: nothing. */
  knowledge?: readonly EventData["knowledge"][];
}

/** A task whose agent has ended its run, or waits. */
export interface SettledTask {
  /** The state of the task's session. */
  state: SessionState;
  /** What the agent asks or waits for; `undefined` if its run has ended. */
  question: MidwayQuestion | undefined;
  /** What the task has used since its caller was last charged. */
  spent: Spent;
  /** The artifacts that the caller's log lacks. */
  artifacts: readonly Artifact[];
}

/**
 * The event for the caller's log once the sub-agent's task has settled, and the artifacts to store with it.
 * `undefined` if this process leaves the run to another process, which then continues the task.
 */
export type Delegation = { event: ResultEvent | QuestionEvent; artifacts: readonly Artifact[] } | undefined;

/** A sub-agent's task whose result is no longer needed. */
export interface OpenTask {
  call: CallState;
  /** Stops the task. Resolves to the use that the caller was not charged for yet; `undefined` without any. */
  end(signal: AbortSignal): Promise<UnchargedUse | undefined>;
}

/** The tokens and cost that a sub-agent has used, and the model that it used last. */
export interface UnchargedUse {
  model: string;
  spent: Spent;
  /** The artifacts that the caller's log lacks. */
  artifacts: readonly Artifact[];
}

/** Runs the tasks of sub-agents. */
export interface TaskRunner<Leg> {
  /** Has a sub-agent do the work of a call. */
  run(leg: Leg, delegated: Delegated): Promise<Delegation>;
  /** Has an agent work on a task. Resolves to `undefined` if this process leaves the run. */
  work(leg: Leg, work: TaskWork): Promise<SettledTask | undefined>;
  /** Returns whether the sub-agent of a call has got its task. */
  begun(leg: Leg, call: CallState): Promise<boolean>;
  /** Returns the tasks that are still open, or whose use was not charged to the run yet. */
  open(leg: Leg, run: RunState): Promise<readonly OpenTask[]>;
}
