import type { CheckpointStrategy } from "../context/strategy.ts";
import type { UserDataSource } from "../context/user-data.ts";
import type { Hook } from "../hooks/hook.ts";
import { type Budget, unlimited } from "../log/budget.ts";
import type { StopType } from "../log/stop-reason.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { StopCondition } from "../stop/stop-condition.ts";
import type { Tool } from "../tools/tool.ts";

/**
 * Limits of one run, over all its legs. `Infinity` is no limit. What is not said is as in
 * {@link defaultLimits}.
 */
export interface Limits extends Budget {
  /** Turns in a row in which every call fails; then the run ends, see `stopOnFailedTurns`. */
  errorTurns: number;
  /** Failures of one tool in a row; then it is refused for the rest of the run, see `failureBudget`. */
  toolFailures: number;
}

/**
 * What becomes of a message that comes while a run is at work. One that waits for an answer is not: a message
 * closes its questions and begins a new run, always.
 *
 * - `reject`: it is refused with `session_busy`.
 * - `queue`: it is stored, and the run's next turn takes it up; a run that had nothing more to do goes on for
 *   it. If the run ends otherwise, a new one begins for it in the same append.
 * - `interrupt`: the run ends as `interrupted`, and a new one begins for the message in the same append.
 *
 * After a run that was stopped (by `stop` or its signal) none is begun for messages that came before the
 * stop: they stay in the context, and the next run reads them.
 */
export type WhenBusy = "reject" | "queue" | "interrupt";

/** Options of `agent()`. */
export interface AgentOptions<Deps> {
  /** The agent's name; sessions remember it. */
  name: string;
  /** Raise it when the agent's behaviour changes; runs record it. Default: "1". */
  version?: string;
  /** The model that answers. A plain one never retries: wrap it with `resilient`. */
  model: ModelClient;
  /** The system prompt. */
  instructions: string;
  /**
   * What the model may call; default: nothing. Where some need one thing of `deps` and some another, say all
   * of it: `agent<Db & Mail>({ … })`.
   */
  tools?: readonly Tool<Deps>[];
  /**
   * What takes part in its runs, in this order, behind Pawl's own guards; see {@link Hook}. Default: nothing.
   */
  hooks?: readonly Hook<Deps>[];
  /** What else ends a run, looked at before every turn, in this order. Default: nothing but the limits. */
  stopWhen?: readonly StopCondition[];
  /**
   * What one run may use up; what is not said is as in {@link defaultLimits}: 10 turns, 5 minutes, 100 tool
   * calls. Enforced inside a streaming answer and against tools that do not mind their signal; before a model
   * call its prompt counts with its estimate, and the answer is kept as short as the limits demand.
   */
  limits?: Partial<Limits>;
  /** What all runs of a session may use up together; without limits when absent. */
  sessionLimits?: Partial<Budget>;
  /**
   * What happens when a limit is near. `stop`: the run ends when it is reached. `land`: room is kept for one
   * last turn without tools, in which the model tells the user how far it has come; then the run ends, for
   * the same reason. Default: `stop`.
   */
  onLimit?: "stop" | "land";
  /**
   * What the user is told at the end of a run, by the type of its stop reason. Default: a sentence of Pawl's.
   */
  stopMessages?: { readonly [type in StopType]?: string };
  /**
   * How many tokens so many characters are, rounded up; limits are kept by it before a call. Default: a
   * quarter.
   */
  estimateTokens?(chars: number): number;
  /** The most tokens of one answer. Default: 4096. */
  maxTokens?: number;
  /**
   * The agent acts by tools alone: every answer of the model has to be one tool call, and a run goes on until
   * a tool with `endsRun` succeeds. The model is forced to call one where it can be
   * (`ModelClient.forcedToolChoice`); where not, an answer without a call is reminded of it, once a run.
   * After that, such an answer ends the run as an error. Of several calls only the first one is run.
   */
  toolOnly?: boolean;
  /** How many tools of one turn run side by side. Default: 8. */
  toolConcurrency?: number;
  /**
   * The most characters that the model reads of one tool result; what is cut is told. The log keeps the
   * whole. Default: 100,000.
   */
  resultLimit?: number;
  /**
   * What is known of the user, e.g. as XML; asked when a run begins. The model reads it in a system block of
   * its own, from the session's first run on. What has changed by a later run is appended, so that the
   * prompt's beginning stays as it is. Failing, it is reported and the run goes on without.
   */
  userData?: (source: UserDataSource<Deps>) => string | Promise<string>;
  /** How long `userData` may take, in milliseconds. Default: 5 s. */
  userDataTimeoutMs?: number;
  /**
   * Looked at between turns: the first strategy that asks for it makes a checkpoint, see
   * {@link CheckpointStrategy}. Default: none.
   */
  checkpointWhen?: readonly CheckpointStrategy[];
  /** See {@link WhenBusy}. Default: the `whenBusy` of `run()`, or else `reject`. */
  whenBusy?: WhenBusy;
}

/**
 * An agent: plain data. Made by {@link agent}. What its tools and its `userData` need of `deps` is part of
 * its type.
 */
export interface Agent<Deps = unknown> {
  readonly name: string;
  readonly version: string;
  readonly model: ModelClient;
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, Tool<Deps>>;
  /** Core's own guards, then the application's. */
  readonly hooks: readonly Hook[];
  readonly stopWhen: readonly StopCondition[];
  readonly limits: Readonly<Limits>;
  readonly sessionLimits: Readonly<Budget>;
  readonly onLimit: "stop" | "land";
  readonly stopMessages: { readonly [type in StopType]?: string };
  estimateTokens(chars: number): number;
  readonly maxTokens: number;
  readonly toolOnly: boolean;
  readonly toolConcurrency: number;
  readonly resultLimit: number;
  readonly userDataTimeoutMs: number;
  readonly checkpointWhen: readonly CheckpointStrategy[];
  readonly whenBusy?: WhenBusy;
  readonly userData?: (source: UserDataSource<Deps>) => string | Promise<string>;
}

/**
 * The limits of an agent that says nothing else: 10 turns, 5 minutes, 100 tool calls, 2 `errorTurns`, 3
 * `toolFailures`.
 */
export const defaultLimits: Readonly<Limits> = {
  ...unlimited,
  turns: 10,
  wallClockMs: 300_000,
  toolCalls: 100,
  errorTurns: 2,
  toolFailures: 3,
};
