import type { Agent, AgentOutput } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Json } from "../../base/json.ts";
import type { Hook, RunContext } from "../../hooks/hook.ts";
import type { Ask } from "../../hooks/tool-change.ts";
import type { TurnChange, TurnPlan } from "../../hooks/turn-plan.ts";
import type { AppendableEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { QuestionPlace } from "../../log/event-parts.ts";
import type { Session, SessionStatus } from "../../log/session-row.ts";
import type { ContentBlock } from "../../model/content.ts";
import type { Schema, Validated } from "../../schema/schema.ts";
import type { QuestionEvent } from "../../session/close-calls.ts";
import type { CallState, RunState } from "../../session/state.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AttemptParts } from "./attempt.ts";
import type { EditParts } from "./edit-types.ts";
import type { EndParts } from "./end-parts.ts";
import type { FlowParts } from "./flow-parts.ts";
import type { HookParts } from "./hook-parts.ts";
import type { Access, LegAccess } from "./leg-access.ts";
import type { LegFiles } from "./leg-files.ts";
import type { LegLife, LegReport } from "./leg-life.ts";
import type {
  Asker,
  CallOutput,
  CallRefusal,
  CheckedAsk,
  ConsentParts,
  ContextMethods,
  FetchedUserData,
  JudgedAttempt,
  OutputVerdict,
  Planned,
  Refusal,
  RefusalOutcome,
} from "./part-types.ts";
import type { LegReaders, LegRecords } from "./progress.ts";
import type { SessionLog } from "./session-log.ts";
import type { TaskRunner } from "./task-types.ts";

/**
 * The features that few runs need. Their code is loaded on first use, before a step stores or sends anything.
 * The loop knows them only by this interface.
 */
export interface Parts
  extends ConsentParts<Leg>,
    AttemptParts<Leg>,
    EditParts<Leg>,
    HookParts<Leg>,
    EndParts<Leg>,
    FlowParts<Leg> {
  // Asking a model within a run.
  /** Makes the method `askModel` of a hook's or tool's context. */
  askModelInRun(leg: Leg, asker: Asker): RunContext["askModel"];

  // Events of hooks and tools.
  /** Stores an event of a hook or a tool. Resolves to `false` if its key is stored already. */
  appendEvent(
    leg: Leg,
    whose: "hook" | "tool",
    event: AppendableEvent,
    json: Json | undefined,
  ): Promise<boolean>;

  /** Returns the newest message of the user; `undefined` if the session has none. */
  runMessage(leg: Leg): ReturnType<RunContext["message"]>;

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
    run: { agent: Agent; session: Session },
    access: Access,
    options: { clock: Clock; hide: LegAccess["hide"] },
  ): Promise<FetchedUserData>;
  /** Reads the user data again if a tool ran since they were last read, and appends them if they changed. */
  refreshUserData(leg: Leg): Promise<void>;

  // Checkpoints.
  /** Stores a checkpoint if one is due. Returns whether a strategy shortened the context. */
  checkpointIfDue(leg: Leg): Promise<boolean>;
  /**
   * Decides what follows a request that was refused for its content, by a failure or by the model. `uptoSeq`
   * is the last event that the request contains.
   */
  afterRefusal(leg: Leg, refusal: Refusal, uptoSeq: number): Promise<RefusalOutcome>;

  // Questions (of hooks, of running tools, and for credentials), and waits.
  /** Returns the event by which a hook asks the user about the run. */
  runQuestion(run: RunState, by: string, before: QuestionPlace, ask: Ask): QuestionEvent;
  /** Returns the event that asks the client for the caller's credentials. */
  credentialsQuestion(run: RunState): QuestionEvent;
  /** Checks a hook's question, and returns it as it is stored. */
  checkedAsk(ask: Ask): CheckedAsk;
  /** Validates the answer to a hook's question by the schema in the log. Returns the problems. */
  answerProblems(call: CallState): Promise<readonly string[]>;
  /** Validates the answer to a question that a tool asked while it ran. */
  validateMidwayAnswer(call: CallState): Promise<Validated<undefined>>;
  /** Returns the valid answer to the question that a hook asked before this turn; `undefined` without one. */
  hookAnswer(run: RunState, hook: Hook, before: QuestionPlace): Promise<Json | undefined>;
  /** Returns whether an answered question's hook is missing, and logs the error. The run then ends. */
  hasLostAsker(leg: Leg, run: RunState): Promise<boolean>;

  // Plans of roles and hooks.
  /** Returns the plan for the current role. Appends the role's instructions if the model lacks them. */
  planOfRole(leg: Leg, plan: TurnPlan): Promise<TurnPlan>;
  /** Applies a hook's changes to the plan. Throws if the agent does not allow them. */
  changedPlan(leg: Leg, plan: TurnPlan, change: TurnChange): Promise<Planned>;

  // Calls made under another version of the agent.
  /** Returns the result of a refused call. */
  refusalText(leg: Leg, call: CallState, tool: Tool, step: CallRefusal): string;
  /** Returns the result of a started call that must not run again; `undefined` if it may run. */
  whyNotAgain(call: CallState, tool: Tool): string | undefined;
  /** Returns the result of a call whose answer does not match its schema. */
  wrongAnswer(call: CallState, schema: Schema | undefined, problems: readonly string[]): string;
  /** Returns whether the call's tool has asked the user before it ran. */
  hasAsked(call: CallState): boolean;

  // Mistakes of tools.
  /** Returns the JSON of what a tool has returned. Throws if JSON would lose a part of it. */
  resultAsJson(leg: Leg, tool: Tool, value: unknown): Json;
  /** Reports what a tool threw, if it looks like a bug, or what its `format` threw. */
  reportMistake(leg: Leg, tool: Tool, thrown: unknown, of: "execute" | "format"): void;

  /** Reports what the application's code threw before or around a call. */
  reportCall(leg: Leg, call: Pick<CallState, "toolName">, cause: unknown): void;

  // What readers get from calls and hooks.
  /** Shows the progress and the parts of a running call to readers. */
  callOutput(leg: Leg, call: CallState): CallOutput;
  /** Stores or shows a part of a hook. */
  emitPart(leg: Leg, by: { name: string }, ...part: Parameters<CallOutput["emit"]>): Promise<void>;
}

/** One process's share of a run, in groups: values and methods that are used together. */
export interface Leg {
  readonly run: LegRun;
  readonly access: LegAccess;
  readonly log: SessionLog;
  readonly life: LegLife;
  readonly report: LegReport;
  readonly readers: LegReaders;
  readonly parts: PartsOfLeg;
  readonly once: LegRecords;
}

/** The agent, the session and the run that the leg works on. */
export interface LegRun {
  readonly agent: Agent;
  /** The agents of the runtime, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly session: Session;
  readonly files: LegFiles;
  readonly tasks: TaskRunner<Leg>;
  /** When the leg began, by the store's clock. ISO 8601. */
  readonly begunAt: string;
  /**
   * Returns the time by the store's clock. Only if the log had a later time when the leg began: then the
   * clock was set back, and the times of events stand still until it has caught up.
   */
  readonly clockSetBack?: (() => string) | undefined;
  /**
   * Resolves to whether the run may call the application or ask its model, once its start is stored. If not,
   * the run ends as stopped. Later calls return the same promise. Default: it may.
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
  readonly read: RunContext["read"];
}

/** The methods for the contexts of hooks and tools, and the method that loads the other parts. */
export interface PartsOfLeg extends ContextMethods {
  /** Loads the code that few runs need. Later calls return the loaded code. */
  load(): Promise<Parts>;
}
