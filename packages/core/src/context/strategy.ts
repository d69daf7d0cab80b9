import type { PawlError } from "../base/errors.ts";
import type { NewEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { RunState } from "../session/state.ts";
import type { PlannedCall } from "../stop/room.ts";

/** The argument of a checkpoint strategy: the context as it would be sent now. */
export interface CheckpointSource {
  /** The context as it would be sent, oldest entry first. */
  readonly entries: readonly ContextEntry[];
  /** Estimated tokens of the whole request. */
  readonly estimatedTokens: number;
  /**
   * How many tokens have to go, because the model refused the request as too long. Absent otherwise. A
   * strategy that waits for a length should not wait then.
   */
  readonly mustFreeTokens?: number;
  /** Estimates the tokens of `chars` characters of this context. */
  estimateTokens(chars: number): number;
  /** The state of the run. */
  readonly run: Readonly<RunState>;
  /** The user of the run. */
  readonly userId?: string;
  /**
   * Returns how many tokens an answer may have if the strategy asks a model, e.g. for a summary. Leaves room
   * within the run's limits for the next turn. Returns 0 if there is no room. Check this before you ask a
   * model.
   */
  roomFor(call: PlannedCall): number;
  /** Aborted when the run stops. */
  readonly signal: AbortSignal;
}

/**
 * A checkpoint to make. The context before the entry with `fromSeq` is sent in the form that `reason` names.
 */
export interface CheckpointPlan {
  /** The shorter form of the earlier context, see `EventData.checkpoint`. */
  reason: EventData["checkpoint"]["reason"];
  /** `seq` of the first event that keeps its form. */
  fromSeq: number;
  /** The text that replaces the context before `fromSeq`; only for the reason `summary`. */
  summary?: string;
  /** The response of the model that wrote the summary, with its cost. */
  response?: Extract<NewEvent, { type: "llm_response" }>;
  /**
   * Why that model wrote no summary. The response is charged all the same, and the failure is reported like
   * one that the strategy throws.
   */
  failure?: unknown;
  /** Reported to `onError`: what the application should know about the response. */
  toReport?: readonly PawlError[];
}

/**
 * Decides before every model call whether to make a checkpoint: returns a plan, or `undefined`. A checkpoint
 * invalidates the cache and removes all earlier thinking. So make checkpoints rarely, and free much at once.
 *
 * A turn makes at most one checkpoint. After it, `beforeTurn` of all hooks is called again, so that they can
 * append what the checkpoint removed. If a strategy throws, the error is reported and the context stays
 * unchanged. No other checkpoint is tried in the run.
 *
 * @example
 * ```ts
 * import type { CheckpointStrategy } from "@pawl/core";
 *
 * // A context that has become long begins at the user's last message.
 * const onlyTheLastRun: CheckpointStrategy = ({ entries, estimatedTokens }) => {
 *   const message = entries.findLast(({ role, blocks }) => role === "user" && blocks[0]?.type === "text");
 *   if (estimatedTokens < 100_000 || message === undefined) return undefined;
 *   return { reason: "start", fromSeq: message.seq };
 * };
 * console.log(typeof onlyTheLastRun);
 * ```
 */
export type CheckpointStrategy = (
  source: CheckpointSource,
) => CheckpointPlan | undefined | Promise<CheckpointPlan | undefined>;
