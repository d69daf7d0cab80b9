import type { Hook, RunContext } from "../../hooks/hook.ts";
import type { Budget } from "../../log/budget.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { LiveState } from "../../log/store/live-tail.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import type { AskSpent, StoredAnswer } from "../../tools/ask-outcome.ts";
import type { TaskAgent, TaskResult } from "../../tools/run-agent-types.ts";

/**
 * Records which hooks were called in this leg, so that each is called once. Only `loop/hooks` changes the
 * record.
 */
export interface HookProgress {
  /** Whether the `beforeRun` hooks were called and have let the run begin. */
  begun: boolean;
  /** The number of turns for which `afterTurn` was called. */
  turns: number;
  /** The stop reason that an `afterTurn` hook returned; `undefined` if none did. */
  stop: StopReason | undefined;
  /** The latest call of a hook. It may be over. */
  calling: CallOfHook | undefined;
  /** The open questions for which `onSuspend` was called, as one key. */
  questions: string;
  /** The agent's hooks by method, in the order in which they are called. */
  readonly byMethod: Map<keyof Hook, readonly Hook[]>;
  /** The contexts of the leg's hooks, by the hook's name. */
  readonly contexts: Map<string, RunContext>;
}

/** One call of a hook. */
export interface CallOfHook {
  readonly hook: Hook;
  readonly method: keyof Hook;
  /** Set when the call is over. After its `timeoutMs`, the hook itself may still be running. */
  isOver?: true;
  /** The question of an agent to which this call has given a task. */
  question?: QuestionEvent;
}

/** Records the model calls of hooks and tools that are in flight in this leg. Only `askInRun` changes it. */
export interface AskProgress {
  /** The calls with a key, by the key of their event. */
  readonly byKey: Map<string, Promise<AnswerInLog>>;
  /**
   * The most that each call may use, and what it has used so far. The former counts as used until the call's
   * actual use is in the log.
   */
  readonly reserved: Set<{ most: Budget; used: Budget }>;
}

/** An answer of a model to a hook or a tool, with its use. It is in the log, unless its call had no key. */
export interface AnswerInLog {
  answer: StoredAnswer;
  spent: AskSpent;
  /** Whether the model was not asked, because the log or another call had the answer. */
  replayed: boolean;
}

/** Records the tasks that hooks and tools give to agents in this leg. Only `runAgentInRun` changes it. */
export interface TaskProgress {
  /** The results of tasks in progress, by the task's id. */
  readonly byId: Map<string, Promise<TaskResult>>;
  /** The agents of the tasks, by the task's id. */
  readonly agents: Map<string, TaskAgent>;
  /** The work on tasks in progress, by the hook or call. */
  readonly working: Map<string, Set<Promise<unknown>>>;
  /** The number of tasks that are about to start. */
  starting: number;
}

/** Records when the user data were read in this leg. Only `refreshUserData` changes the record. */
export interface UserDataProgress {
  /** The number of turns that the run had made when the user data were last read. */
  turns: number;
  /** Whether reading the user data has failed. */
  failed: boolean;
}

/** Records of the work that a leg does only once. */
export interface LegRecords {
  readonly hooks: HookProgress;
  readonly userData: UserDataProgress;
  readonly asks: AskProgress;
  readonly tasks: TaskProgress;
}

/** The text and progress that readers in this process see before they are stored. */
export interface LegReaders {
  /** The live state: text and progress. */
  readonly live: LiveState;
  /** Notifies readers that `live` has changed. */
  touch(): void;
}
