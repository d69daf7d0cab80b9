import type { EventData, NewEvent } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { RunState } from "../session/state.ts";
import type { PlannedCall } from "../stop/room.ts";

/** What a strategy decides by: the context as it would be sent now. */
export interface CheckpointSource {
  readonly entries: readonly ContextEntry[];
  readonly estimatedTokens: number;
  /** Estimates the tokens of `chars` characters, as the agent does. */
  estimateTokens(chars: number): number;
  readonly run: Readonly<RunState>;
  /**
   * Returns how many tokens a model's answer may have on the way to a checkpoint, so that the limits leave
   * room for the turn after it; 0 if there is no room. Call it before you call a model.
   */
  roomFor(call: PlannedCall): number;
  /** Aborted when the run stops. */
  readonly signal: AbortSignal;
}

/**
 * A plan for a checkpoint. `fromSeq` is the `seq` of the entry before which the context takes another form.
 */
export interface CheckpointPlan {
  reason: EventData["checkpoint"]["reason"];
  fromSeq: number;
  /** Replaces everything before; only for `summary`. */
  summary?: string;
  /** The response of the model that made it, with its cost. */
  response?: Extract<NewEvent, { type: "llm_response" }>;
}

/**
 * Decides before every model call whether to make a checkpoint: returns a plan, or `undefined`. A checkpoint
 * costs the cache and all earlier thinking, so ask for one rarely, and free much at once. If a strategy
 * throws, that is reported, the context stays as it is, and no checkpoint is tried again in this run.
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
