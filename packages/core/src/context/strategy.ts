import { causeOf, messageOf } from "../errors.ts";
import type { EventData, NewEvent } from "../events/event.ts";
import { type Leg, withinLeg } from "../leg.ts";
import { type ContextEntry, openRun, type RunState } from "../session/state.ts";
import { leftOf } from "../stop/limits.ts";
import { type PlannedCall, roomFor } from "../stop/room.ts";
import { admitted } from "./admit.ts";
import { boundaryAt, checkpointEvents, indexOf } from "./checkpoint.ts";
import { isPaused } from "./server-calls.ts";

/** What a strategy looks at: the context as it would be sent now. */
export interface CheckpointSource {
  readonly entries: readonly ContextEntry[];
  readonly estimatedTokens: number;
  /** How many tokens so many characters are, as the agent estimates it. */
  estimateTokens(chars: number): number;
  readonly run: Readonly<RunState>;
  /**
   * How many tokens a model's answer may have on the way to a checkpoint, so that the limits leave room for the turn behind it;
   * 0 if there is none. Ask before you call a model.
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
 * Looked at before every model call; a plan becomes a checkpoint. It costs the cache and all earlier thinking, so a
 * strategy should ask for one rarely and for much. Throw to fail: that is reported, the context stays as it is, and
 * nothing is tried again in this run.
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

/** Stores a checkpoint if one of the agent's strategies asks for it. Called between turns, when every call has its result. */
export async function checkpointIfDue(leg: Leg): Promise<void> {
  const { state } = leg.log;
  const run = openRun(state);
  const { checkpointWhen } = leg.agent;
  if (run === undefined || run.checkpointFailed) return;
  // A paused answer has to be sent as it is.
  if (isPaused(state)) return;
  const uptoSeq = state.lastSeq;
  const entries = admitted(state, uptoSeq);
  const chars = entries.reduce((sum, entry) => sum + entry.chars, state.prefix?.chars ?? 0);
  const source: CheckpointSource = {
    entries,
    estimatedTokens: leg.agent.estimateTokens(chars),
    estimateTokens: leg.agent.estimateTokens,
    run,
    roomFor: (call) => {
      const room = roomFor(leftOf(state, leg.agent, leg.legMs()), call, true);
      return "type" in room ? 0 : room.maxTokens;
    },
    signal: leg.signal,
  };
  let plan: CheckpointPlan | undefined;
  try {
    for (const strategy of checkpointWhen) {
      plan = await withinLeg(leg, strategy(source));
      if (plan !== undefined) break;
    }
    if (plan?.summary !== undefined && typeof plan.summary !== "string")
      throw new TypeError("a summary is a text.");
  } catch (cause) {
    if (leg.signal.aborted) return;
    return await leg.fail({ code: "checkpoint_failed", message: messageOf(cause), context: causeOf(cause) });
  }
  if (plan !== undefined && !leg.signal.aborted) await store(leg, entries, uptoSeq, plan);
}

async function store(
  leg: Leg,
  entries: readonly ContextEntry[],
  uptoSeq: number,
  { reason, fromSeq, summary, response }: CheckpointPlan,
): Promise<void> {
  const index = indexOf(entries, fromSeq);
  const at = reason === "drop_old_results" ? index : boundaryAt(entries, index, summary === undefined);
  const first = entries[at];
  const charged = response === undefined ? [] : [response];
  if (at <= 0 || first === undefined) {
    if (charged.length > 0) await leg.log.append(charged);
    return;
  }
  const data = {
    from_seq: first.seq,
    upto_seq: uptoSeq,
    reason,
    ...(summary !== undefined && { summary: summary.toWellFormed() }),
  };
  await leg.log.append([...charged, ...checkpointEvents(leg.log.state, leg.agent, data, leg.newId())]);
}
