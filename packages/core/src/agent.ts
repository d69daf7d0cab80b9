import type { CheckpointStrategy } from "./context/strategy.ts";
import type { UserDataSource } from "./context/user-data.ts";
import { PawlError } from "./errors.ts";
import type { Hook } from "./hooks/hook.ts";
import type { ModelClient } from "./model/model-client.ts";
import type { StopCondition } from "./stop/stop-condition.ts";
import type { Tool } from "./tools/tool.ts";

/** Limits of one run, over all its legs. */
export interface Limits {
  /** Model calls. */
  turns: number;
}

/**
 * What becomes of a message that comes while a run is at work. One that waits for an answer is not: a message closes its
 * questions and begins a new run, always.
 *
 * - `reject`: it is refused with `session_busy`.
 * - `queue`: it is stored, and the run's next turn takes it up; a run that had nothing more to do goes on for it. If the
 *   run ends otherwise, a new one begins for it in the same append.
 * - `interrupt`: the run ends as `interrupted`, and a new one begins for the message in the same append.
 *
 * After a run that was stopped (by `stop` or its signal) none is begun for messages that came before the stop: they stay
 * in the context, and the next run reads them.
 */
export type WhenBusy = "reject" | "queue" | "interrupt";

export interface AgentOptions<Deps> {
  /** The agent's name; sessions remember it. */
  name: string;
  /** Raise it when the agent's behaviour changes; runs record it. */
  version?: string;
  model: ModelClient;
  /** The system prompt. */
  instructions: string;
  tools?: readonly Tool<Deps>[];
  hooks?: readonly Hook[];
  stopWhen?: readonly StopCondition[];
  limits?: Partial<Limits>;
  /** The most tokens of one answer. */
  maxTokens?: number;
  /** How many tools of one turn run side by side. */
  toolConcurrency?: number;
  /** The most characters that the model reads of one tool result; what is cut is told. The log keeps the whole. */
  resultLimit?: number;
  /**
   * What is known of the user, e.g. as XML; asked when a run begins. The model reads it in a system block of its own, from
   * the session's first run on. What has changed by a later run is appended, so that the prompt's beginning stays as
   * it is. Failing, it is reported and the run goes on without.
   */
  userData?(source: UserDataSource<Deps>): string | Promise<string>;
  /** How long `userData` may take, in milliseconds. */
  userDataTimeoutMs?: number;
  /** Looked at between turns: the first strategy that asks for it makes a checkpoint, see {@link CheckpointStrategy}. */
  checkpointWhen?: readonly CheckpointStrategy[];
  /** See {@link WhenBusy}. */
  whenBusy?: WhenBusy;
}

/** An agent: plain data. Made by {@link agent}. */
export interface Agent<Deps = never> {
  readonly name: string;
  readonly version: string;
  readonly model: ModelClient;
  readonly instructions: string;
  readonly tools: ReadonlyMap<string, Tool<Deps>>;
  readonly hooks: readonly Hook[];
  readonly stopWhen: readonly StopCondition[];
  readonly limits: Readonly<Limits>;
  readonly maxTokens: number;
  readonly toolConcurrency: number;
  readonly resultLimit: number;
  readonly userDataTimeoutMs: number;
  readonly checkpointWhen: readonly CheckpointStrategy[];
  readonly whenBusy: WhenBusy;
  userData?(source: UserDataSource<Deps>): string | Promise<string>;
}

/**
 * Puts an agent together. All defaults are in its signature.
 *
 * @throws PawlError `config` for two tools of one name, empty instructions, limits that are no positive numbers or an
 * unknown `whenBusy`.
 */
export function agent<Deps = unknown>({
  name,
  version = "1",
  model,
  instructions,
  tools = [],
  hooks = [],
  stopWhen = [],
  limits: { turns = 10 } = {},
  maxTokens = 4096,
  toolConcurrency = 8,
  resultLimit = 100_000,
  userData,
  userDataTimeoutMs = 5_000,
  checkpointWhen = [],
  whenBusy = "reject",
}: AgentOptions<Deps>): Agent<Deps> {
  for (const [what, value] of Object.entries({
    "limits.turns": turns,
    maxTokens,
    toolConcurrency,
    resultLimit,
    userDataTimeoutMs,
  })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new PawlError(
        "config",
        `${what} of the agent "${name}" must be a whole number from 1, not ${value}.`,
      );
    }
  }
  if (!["reject", "queue", "interrupt"].includes(whenBusy)) {
    throw new PawlError("config", `whenBusy of the agent "${name}" cannot be "${whenBusy}".`);
  }
  if (instructions.trim() === "") throw new PawlError("config", `The agent "${name}" has no instructions.`);
  const byName = new Map<string, Tool<Deps>>();
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      throw new PawlError("config", `The agent "${name}" has two tools named "${tool.name}".`);
    }
    byName.set(tool.name, tool);
  }
  return {
    name,
    version,
    model,
    instructions,
    tools: byName,
    hooks,
    stopWhen,
    limits: { turns },
    maxTokens,
    toolConcurrency,
    resultLimit,
    userDataTimeoutMs,
    checkpointWhen,
    whenBusy,
    ...(userData && { userData }),
  };
}
