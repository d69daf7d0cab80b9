import type { EventData, NewEvent } from "../log/event.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { RunState } from "../session/state.ts";
import type { PlannedCall } from "../stop/room.ts";

/** What a strategy looks at: the context as it would be sent now. */
export interface CheckpointSource {
  readonly entries: readonly ContextEntry[];
  readonly estimatedTokens: number;
  /** How many tokens so many characters are, as the agent estimates it. */
  estimateTokens(chars: number): number;
  readonly run: Readonly<RunState>;
  /**
   * How many tokens a model's answer may have on the way to a checkpoint, so that the limits leave room for
   * the turn behind it; 0 if there is none. Ask before you call a model.
   */
  roomFor(call: PlannedCall): number;
  /** Fires when the run is to stop. */
  readonly signal: AbortSignal;
}

/** How the context is to go on. `fromSeq` is the entry before which it takes another form. */
export interface CheckpointPlan {
  reason: EventData["checkpoint"]["reason"];
  fromSeq: number;
  /** Stands for everything before. */
  summary?: string;
  /** What a model was paid for it. */
  response?: Extract<NewEvent, { type: "llm_response" }>;
}

/**
 * Looked at before every model call; a plan becomes a checkpoint. It costs the cache and all earlier
 * thinking, so a strategy should ask for one rarely and for much. Throw to fail: that is reported, the
 * context stays as it is, and nothing is tried again in this run.
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
