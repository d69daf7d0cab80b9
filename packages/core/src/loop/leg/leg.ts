import type { Agent, AgentOutput } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Ask, Hook, RunContext } from "../../hooks/hook.ts";
import type { TurnPlan } from "../../hooks/turn-plan.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import type { ReadOptions, StoredEvent, StoredOf } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { QuestionPlace } from "../../log/event-parts.ts";
import type { Session, SessionStatus } from "../../log/session-row.ts";
import type { LiveState } from "../../log/store/live-tail.ts";
import type { ContentBlock } from "../../model/content.ts";
import type { Schema, Validated } from "../../schema/schema.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import type { CallState, RunState } from "../../session/state.ts";
import type { Delegate, Tool } from "../../tools/tool.ts";
import type { LegFiles } from "./leg-files.ts";
import type { LegLife, LegReport } from "./leg-life.ts";
import type {
  Asker,
  CallProgress,
  CallRefusal,
  CheckedAsk,
  ChosenAgent,
  ContextMethods,
  Delegated,
  Delegation,
  FetchedUserData,
  JudgedAttempt,
  OpenTask,
  OutputVerdict,
  Reported,
} from "./part-types.ts";
import type { AskProgress, HookProgress, UserDataProgress } from "./progress.ts";
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

/**
 * What few runs need, by feature. Its code is loaded when it is first needed, before a step stores or sends
 * anything. The loop knows it by this interface only.
 */
export interface Parts {
  // Asking a model within a run.
  /** Makes the method `askModel` of a hook's or tool's context. */
  askModelInRun(leg: Leg, asker: Asker): RunContext["askModel"];

  // Output.
  /** Finds the run's output in a complete answer, and validates it. */
  outputVerdict(
    leg: Leg,
    output: AgentOutput,
    attempt: JudgedAttempt,
    answer: { content: readonly ContentBlock[]; calls: EventData["tool_call"][] },
  ): Promise<OutputVerdict>;

  // User data.
  /** Calls `read` of the agent's `userData`. Never rejects: a failure is in the result. */
  fetchUserData(
    of: { agent: Agent; session: Session },
    access: Access,
    given: { clock: Clock; hide: LegAccess["hide"] },
  ): Promise<FetchedUserData>;
  /** Reads the user data again if a tool ran since they were last read, and appends them if they changed. */
  refreshUserData(leg: Leg): Promise<void>;

  // Checkpoints.
  /** Stores a checkpoint if one is due. Returns whether a strategy shortened the context. */
  checkpointIfDue(leg: Leg): Promise<boolean>;

  // Questions of hooks, for credentials, and waits.
  runQuestion(run: RunState, by: string, before: QuestionPlace, ask: Ask): QuestionEvent;
  credentialsQuestion(run: RunState): QuestionEvent;
  /** Returns the event by which the run waits in no process; `undefined` if it has waited too often. */
  retryWait(run: RunState, afterMs: number, failedAttempts: number): QuestionEvent | undefined;
  checkedAsk(ask: Ask): CheckedAsk;
  /** Validates the answer to a hook's question by the schema in the log. Returns the problems. */
  answerProblems(call: CallState): Promise<readonly string[]>;
  midwayAnswer(call: CallState): Promise<Validated<undefined>>;
  /** Returns the valid answer to the question that a hook asked before this turn. */
  hookAnswer(run: RunState, hook: Hook, before: QuestionPlace): Promise<Json | undefined>;
  /** Returns the error for an answered question whose hook the agent no longer has. */
  lostAsker(run: RunState, hooks: readonly Hook[]): ErrorReport | undefined;

  // Plans of hooks.
  checkPlan(agent: Agent, plan: TurnPlan): TurnPlan;

  // Calls made under another version of the agent.
  refusalText(leg: Leg, call: CallState, tool: Tool, step: CallRefusal): string;
  whyNotAgain(call: CallState, tool: Tool): string | undefined;
  wrongAnswer(call: CallState, schema: Schema | undefined, problems: readonly string[]): string;
  hasAsked(call: CallState): boolean;

  // Tasks of sub-agents.
  chooseAgent(leg: Leg, delegate: Delegate, call: CallState, input: unknown): Promise<ChosenAgent>;

  // Progress of calls.
  callProgress(leg: Leg, call: CallState, reported: Reported): CallProgress;
}

/** One process's share of a run, grouped by what its functions ask it for. */
export interface Leg {
  readonly run: LegRun;
  readonly access: LegAccess;
  readonly log: SessionLog;
  readonly life: LegLife;
  readonly report: LegReport;
  readonly readers: LegReaders;
  readonly parts: PartsOfLeg;
  readonly once: LegProgress;
}

/** What the leg works on. */
export interface LegRun {
  readonly agent: Agent;
  readonly session: Session;
  readonly files: LegFiles;
  readonly tasks: Tasks;
  /** When the leg began, by the store's clock. ISO 8601. */
  readonly begunAt: string;
  /**
   * Resolves to whether the run may call the application or ask its model, once its start is stored. If not,
   * the run ends as stopped.
   * Later calls return the same promise. Default: it may.
   */
  readonly mayBegin: (() => Promise<boolean>) | undefined;
  /** What happens if the run needs credentials and this process has none. */
  readonly withoutCredentials: "ask" | "stop";
  newId(): string;
  /**
   * Reads the session's status from the store. A session can be completed or expired before its run has
   * ended.
   */
  status(): Promise<SessionStatus | undefined>;
  /** Reads the session's events; redacted content is replaced. */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
}

/** For whom the leg works. */
export interface LegAccess extends Access {
  /** The value that the runtime's `deps` option returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
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
  /** Replaces texts of the credentials in a value that will be stored or shown. */
  hide<T>(value: T): T;
  /** Returns an error that repeats no texts of the credentials; the same one if it does not. */
  hideInError(error: unknown): unknown;
}

/** What readers in this process see before it is stored. */
export interface LegReaders {
  /** The live state: text and progress. */
  readonly live: LiveState;
  /** Notifies readers that `live` has changed. */
  touch(): void;
}

/** The parts of a leg: what is at hand for the contexts of hooks and tools, and how to load the others. */
export interface PartsOfLeg extends ContextMethods {
  /** Loads the code that few runs need. Later calls return what is loaded. */
  load(): Promise<Parts>;
}

/** What was done once in this leg, so that it is not done again. */
export interface LegProgress {
  readonly hooks: HookProgress;
  readonly userData: UserDataProgress;
  readonly asks: AskProgress;
}

/** A tool call whose work is given to a sub-agent. */
export interface Tasks {
  /** Has a sub-agent do the work of a call. */
  run(leg: Leg, delegated: Delegated): Promise<Delegation>;
  /** Returns the tasks that the run would abandon if it ended now. */
  open(leg: Leg, run: RunState): Promise<readonly OpenTask[]>;
}
