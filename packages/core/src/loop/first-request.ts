import { admitted } from "../context/admit.ts";
import { filesInBlocks } from "../context/file-blocks.ts";
import { hasLostServerCalls } from "../context/server-calls.ts";
import { stateAfterStart } from "../fold/state-after.ts";
import type { Leg } from "../leg/leg.ts";
import type { NewEvent } from "../log/event.ts";
import { isByLogOnly } from "../log/log-only.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { decide } from "./decide.ts";
import { hooksWith } from "./hooks/call-hooks.ts";
import { nowOf } from "./loop.ts";
import { type PreparedRequest, prepareRequest } from "./turn/prepare-request.ts";

/**
 * Prepares the first request of a run that is about to start with these events, so that one append stores
 * them and the request. Returns `undefined` if something may come between: a hook, a checkpoint, a stop
 * condition of the application, `deps` that are a promise, files, or a limit. The run's loop then prepares
 * the request after the start.
 */
export async function firstRequest(
  leg: Leg,
  events: readonly NewEvent[],
): Promise<PreparedRequest | undefined> {
  if (openRun(leg.log.state) !== undefined || leg.life.signal.aborted) return undefined;
  if (asksFirst(leg) || !hasDepsAtOnce(leg)) return undefined;
  const at = new Date(leg.life.clock.now()).toISOString();
  const state = stateAfterStart(leg.log.state, leg.log.asStored(events), at);
  const started = startedLeg(leg, state);
  try {
    if (decide(state, leg.agent, nowOf(started)).do !== "model" || needsMore(state)) return undefined;
    const { model, maxTokens } = leg.agent;
    const prepared = await prepareRequest(started, { model, maxTokens });
    return prepared === undefined || "do" in prepared ? undefined : prepared;
  } catch {
    // The run's loop meets the same failure, and reports it.
    return undefined;
  }
}

/** Returns whether the application is asked before the first request, after the run has started. */
function asksFirst(leg: Leg): boolean {
  if (leg.agent.checkpointWhen.length > 0 || !leg.agent.stopWhen.every(isByLogOnly)) return true;
  return (["beforeRun", "beforeTurn", "beforeModel"] as const).some((method) =>
    hooksWith(leg, method).some((hook) => method !== "beforeTurn" || !isByLogOnly(hook)),
  );
}

/**
 * Returns whether the request needs more than the events of the start: an event that changes the context, or
 * the bytes of files. The message must not wait for a store of files, which may be slow.
 */
function needsMore(state: SessionState): boolean {
  if (hasLostServerCalls(state)) return true;
  return admitted(state, state.lastSeq).some(({ blocks }) => filesInBlocks(blocks).length > 0);
}

/** Returns the leg as it is once the run has started, to plan its first request. */
function startedLeg(leg: Leg, state: SessionState): Leg {
  // The run's time begins with its leg.
  return { ...leg, log: { ...leg.log, state }, life: { ...leg.life, legMs: () => 0 } };
}

/**
 * Calls the runtime's `deps` for the leg's caller. Returns whether the dependencies are available without
 * waiting. A message or an answer must not wait for the application before it is stored.
 */
export function hasDepsAtOnce(leg: Pick<Leg, "makeDeps" | "hasDeps">): boolean {
  // The run's leg meets the same failure, and reports it.
  leg.makeDeps().catch(() => undefined);
  return leg.hasDeps;
}
