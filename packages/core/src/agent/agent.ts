import type { CheckpointStrategy } from "../context/strategy.ts";
import type { UserDataSource } from "../context/user-data.ts";
import type { Hook } from "../hooks/hook.ts";
import { type Budget, unlimited } from "../log/budget.ts";
import type { StopType } from "../log/stop-reason.ts";
import type { ModelClient } from "../model/model-client.ts";
import type { StopCondition } from "../stop/stop-condition.ts";
import type { Tool } from "../tools/tool.ts";

/** Limits of one run, over all its legs. `Infinity` lifts a limit. Defaults: {@link defaultLimits}. */
export interface Limits extends Budget {
  /** Turns in a row in which every call fails, after which the run ends. See `stopOnFailedTurns`. */
  errorTurns: number;
  /**
   * Failures of one tool in a row, after which it is refused for the rest of the run. See `failureBudget`.
   */
  toolFailures: number;
}

/**
 * What happens when a message arrives while a run is in progress.
 *
 * - `reject`: it is refused with `session_busy`.
 * - `queue`: it is stored, and the run reads it in its next turn, even if it was about to end. If the run
 *   ends otherwise, a new one starts for the message in the same append.
 * - `interrupt`: the run ends as `interrupted`, and a new one starts for the message in the same append.
 *
 * A run that is waiting for the user's answer is not in progress: a new message always closes its questions
 * and starts a new run.
 *
 * After a run that was stopped (by `stop` or its signal), messages that came before the stop start no run.
 * They stay in the context, and the next run reads them.
 */
export type WhenBusy = "reject" | "queue" | "interrupt";

/** Options of `agent()`. `Deps` is what its tools and `userData` get from the runtime's `deps`. */
export interface AgentOptions<Deps> {
  /** The agent's name, unique in its runtime. Sessions are stored with it, so do not change it. */
  name: string;
  /** Change it when the agent's behaviour changes; each run records it. Default: "1". */
  version?: string;
  /**
   * The model that answers. It makes each request once; wrap it with `resilient` to have failures retried.
   */
  model: ModelClient;
  /** The system prompt. */
  instructions: string;
  /**
   * The tools that the model may call. Default: none. If your tools need different dependencies, give the
   * agent their intersection as a type argument: `agent<Db & Mail>({ … })`.
   */
  tools?: readonly Tool<Deps>[];
  /**
   * Hooks that take part in its runs, in this order, after Pawl's own guards. See {@link Hook}. Default:
   * none.
   */
  hooks?: readonly Hook<Deps>[];
  /** Further conditions that end a run, checked before every turn in this order. Default: none. */
  stopWhen?: readonly StopCondition[];
  /**
   * What one run may use. Defaults are {@link defaultLimits}: 10 turns, 5 minutes, 100 tool calls. Limits are
   * enforced in the middle of a streaming answer, and while a tool ignores its abort signal. Before a model
   * call, the estimate of its prompt is counted and the answer is kept as short as the limits require.
   */
  limits?: Partial<Limits>;
  /** What all runs of a session may use together. Default: no limits. */
  sessionLimits?: Partial<Budget>;
  /**
   * What happens when a limit is near. Default: `stop`.
   *
   * - `stop`: the run ends when the limit is reached.
   * - `land`: room is kept for one last turn without tools, in which the model tells the user how far it got.
   *   Then the run ends, with the limit as its stop reason.
   */
  onLimit?: "stop" | "land";
  /**
   * Messages for the user at the end of a run, by the type of the stop reason. Default: Pawl's own sentences.
   */
  stopMessages?: { readonly [type in StopType]?: string };
  /**
   * Estimates the tokens of a text from its number of characters; the result is rounded up. Limits are
   * checked with it before a model call. Default: a token per four characters.
   */
  estimateTokens?(chars: number): number;
  /** The most tokens of one answer. Default: 4096. */
  maxTokens?: number;
  /**
   * Makes the agent act through tools only. Each answer of the model must be one tool call; of several calls
   * only the first runs. A run continues until a tool with `endsRun` succeeds. A model with
   * `forcedToolChoice` is forced to call a tool. Any other is reminded once in a run if it answers without a
   * call; the next such answer ends the run as an error. Default: `false`.
   */
  toolOnly?: boolean;
  /** How many tools of one turn run at the same time. Default: 8. */
  toolConcurrency?: number;
  /**
   * The most characters that the model reads of one tool result. The model is told how much was cut; the log
   * keeps the whole result. Default: 100,000.
   */
  resultLimit?: number;
  /**
   * Returns what the application knows of the user, e.g. as XML. Called when a run begins. The model reads it
   * in a system block of its own, from the session's first run on. Later changes are appended, so that the
   * beginning of the prompt stays cached. If it fails, the error is reported and the run continues without
   * it.
   */
  userData?: (source: UserDataSource<Deps>) => string | Promise<string>;
  /** Time limit of `userData`, in milliseconds. Default: 5,000. */
  userDataTimeoutMs?: number;
  /**
   * Strategies that are asked for a checkpoint between turns; the first that wants one gets it. See
   * {@link CheckpointStrategy}. Default: none.
   */
  checkpointWhen?: readonly CheckpointStrategy[];
  /**
   * What happens when a message arrives during a run, see {@link WhenBusy}. Default: the `whenBusy` of
   * `run()`, or else `reject`.
   */
  whenBusy?: WhenBusy;
}

/**
 * An agent: plain data, made by `agent()`. Its fields are those of {@link AgentOptions} with the defaults
 * filled in. Its type includes what its tools and `userData` need of `deps`.
 */
export interface Agent<Deps = unknown>
  extends Readonly<
      Required<
        Omit<AgentOptions<Deps>, "tools" | "hooks" | "limits" | "sessionLimits" | "userData" | "whenBusy">
      >
    >,
    Readonly<Pick<AgentOptions<Deps>, "userData" | "whenBusy">> {
  readonly tools: ReadonlyMap<string, Tool<Deps>>;
  /** Core's own guards, then the application's. */
  readonly hooks: readonly Hook[];
  readonly limits: Readonly<Limits>;
  readonly sessionLimits: Readonly<Budget>;
}

/** The default limits of a run: 10 turns, 5 minutes, 100 tool calls, 2 `errorTurns`, 3 `toolFailures`. */
export const defaultLimits: Readonly<Limits> = {
  ...unlimited,
  turns: 10,
  wallClockMs: 300_000,
  toolCalls: 100,
  errorTurns: 2,
  toolFailures: 3,
};
