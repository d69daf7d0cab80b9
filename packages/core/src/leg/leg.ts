import type { Agent } from "../agent/agent.ts";
import type { Deadline } from "../base/deadline.ts";
import type { JsonObject } from "../base/json.ts";
import type { Hook, RunContext } from "../hooks/hook.ts";
import type { Budget } from "../log/budget.ts";
import type { ErrorReport } from "../log/error-event.ts";
import type { NewEvent, StoredEvent, StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { ReadOptions } from "../log/event-store.ts";
import type { LiveState } from "../log/live-tail.ts";
import type { Session, SessionStatus } from "../log/session-row.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Spent } from "../log/tokens.ts";
import type { QuestionEvent, ResultEvent } from "../session/close-calls.ts";
import type { CallState, RunState } from "../session/state.ts";
import type { AskSpent, StoredAnswer } from "../tools/ask-outcome.ts";
import type { Delegate, TaskAgent } from "../tools/tool.ts";
import type { LegFiles } from "./leg-files.ts";
import type { SessionLog } from "./session-log.ts";

/** The caller of a run, the credentials that this process has for it, and the dependencies made for both. */
export interface Access {
  /** What the application says about the user. */
  readonly caller: JsonObject;
  /** The caller's credentials; `undefined` if this process has none. */
  readonly credentials: unknown;
  /** Calls the runtime's `deps` option for this caller. Later calls return the same promise. */
  makeDeps(): Promise<unknown>;
  /**
   * Whether the dependencies are available: `deps` returned a value, or its promise has resolved. `false`
   * before `makeDeps` was called.
   */
  readonly hasDeps: boolean;
}

/** One process's share of a run: the log, the time, the hooks, and everything else that the loop needs. */
export interface Leg extends Access {
  readonly agent: Agent;
  readonly session: Session;
  readonly log: SessionLog;
  readonly files: LegFiles;
  readonly life: LegLife;
  readonly report: LegReport;
  readonly hookProgress: HookProgress;
  readonly userDataProgress: UserDataProgress;
  readonly askProgress: AskProgress;
  /** Replaces texts of the credentials in a value that will be stored or shown. */
  hide<T>(value: T): T;
  /**
   * Whether an answer has come from another caller, or with other credentials. Until `renew()`, the leg has
   * the caller, credentials and dependencies from before that answer.
   */
  readonly hasNewCaller: boolean;
  /**
   * Gives the leg the caller, credentials, dependencies and tools of the newest answer. Rejects with the
   * error of `deps`, or with `tools_failed`.
   */
  renew(): Promise<void>;
  /** Returns the access of the run that a queued message starts. It contains nothing of this leg's caller. */
  accessOf(message: StoredOf<"user_message">): Promise<Access>;
  /**
   * Resolves to whether the run may call the application or ask its model, once its start is stored. If not,
   * the run ends as stopped.
   * Later calls return the same promise. Default: it may.
   */
  readonly mayBegin: (() => Promise<boolean>) | undefined;
  /** Extends the lease. Resolves to whether it is still current. */
  renewLease(): Promise<boolean>;
  /** When the leg began, by the store's clock. ISO 8601. */
  readonly begunAt: string;
  /**
   * Whether the run may leave this process while it waits for a retry of the model, so that its place is
   * free: an engine resumes it. A run with credentials and a sub-agent stay.
   */
  readonly mayLeave: boolean;
  /** What happens if the run needs credentials and this process has none. */
  readonly withoutCredentials: "ask" | "stop";
  /** The value that the runtime's `deps` option returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
  /** The live state: text and progress that readers in this process see before they are stored. */
  readonly live: LiveState;
  /** Notifies readers that `live` has changed. */
  touch(): void;
  newId(): string;
  /**
   * Reads the session's status from the store. A session can be completed or expired before its run has
   * ended.
   */
  status(): Promise<SessionStatus | undefined>;
  /** Reads the session's events; redacted content is replaced. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  readonly tasks: Tasks;
}

/**
 * The lifetime of a leg: its running time, the reasons to stop, and who continues the run. Only the methods
 * change it.
 */
export interface LegLife extends Deadline {
  readonly abortGraceMs: number;
  /** Aborts in-flight work: the run was stopped, the last turn needs the time, or the lease was lost. */
  readonly signal: AbortSignal;
  /** Why the run must end at once; `undefined` if it may continue. */
  readonly halted: StopReason | undefined;
  /** `seq` of the last stored event when the run was halted. */
  readonly haltedAt: number | undefined;
  /**
   * Whether another process has taken over the session. If so, this process must not start or write anything.
   */
  readonly lost: boolean;
  /** Whether the process is shutting down. If so, the leg stops at the next turn boundary. */
  readonly draining: boolean;
  /**
   * Why this process leaves the run to another one; `undefined` if it does not, or has lost the session.
   */
  readonly leaving: EventData["run_left"]["reason"] | undefined;
  /** The id of the run that was started in the append that ended this leg's run. The lease is kept for it. */
  readonly nextRun: string | undefined;
  /** Returns the leg's running time in milliseconds. */
  legMs(): number;
  /** Returns the remaining time of the run, in milliseconds. */
  timeLeftMs(): number;
  /** Makes the run end at once, for this reason. Further calls change nothing. */
  halt(stop: StopReason): void;
  /**
   * Replaces the aborted signal by a fresh one for the last turn. Call it once in-flight work was aborted.
   */
  beginLanding(): void;
  /** Leaves the run to another process, without aborting in-flight work. */
  abandon(): void;
  /** Keeps the lease for the next run, which was started in the append that ended this one. */
  keepLeaseFor(nextRun: string): void;
}

/** Reports errors of a leg: in the log and to the hooks. */
export interface LegReport {
  /** Logs an error after `events`, in one append, and notifies the hooks. */
  logError(error: ErrorReport, events?: readonly NewEvent[]): Promise<void>;
  /** Notifies the hooks of an error that is in the log. */
  notify(error: EventData["error"]): Promise<void>;
  /** Reports the error that ends the run to the runtime's `onError`, and sets `reported`. Never throws. */
  failed(error: unknown): void;
  /** Whether the error that ends the run was reported. */
  reported: boolean;
  /** The problem with the last answer. It is reported if the run ends as an error. */
  problem: Error | undefined;
  /** Reports an error that the application has to fix to the runtime's `onError`. Never throws. */
  toFix(error: unknown): void;
  /** Logs a result that arrived too late to count. Works without the lease. */
  logLate(error: ErrorReport): Promise<void>;
}

/**
 * Records which hooks were called in this leg, so that each is called once. Only `loop/hooks` changes the
 * record.
 */
interface HookProgress {
  /** Whether the `beforeRun` hooks were called and have let the run begin. */
  begun: boolean;
  /** The number of turns for which `afterTurn` was called. */
  turns: number;
  /** The stop reason that an `afterTurn` returned. */
  stop: StopReason | undefined;
  /** The open questions for which `onSuspend` was called, as one key. */
  questions: string;
  /** The agent's hooks by method, in the order in which they are called. */
  readonly byMethod: Map<keyof Hook, readonly Hook[]>;
  /** The contexts of the leg's hooks, by the hook's name. */
  readonly contexts: Map<string, RunContext>;
}

/** Records the model calls of hooks and tools that are in flight in this leg. Only `askInRun` changes it. */
interface AskProgress {
  /** The calls with a key, by the key of their event. */
  readonly byKey: Map<string, Promise<AnswerInLog>>;
  /** The most that each call in flight may use. It counts until the call's actual use is in the log. */
  readonly reserved: Set<{ most: Budget }>;
}

/** An answer of a model to a hook or a tool, with its use. It is in the log, unless its call had no key. */
export interface AnswerInLog {
  answer: StoredAnswer;
  spent: AskSpent;
  replayed: boolean;
}

/** Records when the user data were read in this leg. Only `refreshUserData` changes the record. */
interface UserDataProgress {
  /** The number of turns that the run had made when the user data were last read. */
  turns: number;
  /** Whether reading the user data has failed. */
  failed: boolean;
}

/** A tool call whose work is given to a sub-agent. */
export interface Tasks {
  /** Has a sub-agent do the work of a call. */
  run(leg: Leg, delegated: Delegated): Promise<Delegation>;
  /** Returns the tasks that the run would abandon if it ended now. */
  open(leg: Leg, run: RunState): Promise<readonly OpenTask[]>;
}

/** A call whose work a sub-agent does. */
export interface Delegated {
  call: CallState;
  delegate: Delegate;
  agent: TaskAgent;
  input: unknown;
  slice: Partial<Budget>;
  /** Returns how long the call has run, in milliseconds. */
  durationMs(): number;
}

/**
 * The event for the caller's log once the sub-agent's task has settled. `undefined` if this process leaves
 * the run to another process, which then continues the task.
 */
export type Delegation = ResultEvent | QuestionEvent | undefined;

/** A sub-agent's task whose result is no longer needed. */
export interface OpenTask {
  call: CallState;
  /** Stops the task. Resolves to what the caller was not charged for yet, if anything. */
  end(signal: AbortSignal): Promise<UnchargedUse | undefined>;
}

/** What a sub-agent has used, and the model that it used last. */
export interface UnchargedUse {
  model: string;
  spent: Spent;
}
