import { admitted } from "../context/admit.ts";
import { filesInBlocks } from "../context/file-blocks.ts";
import { hasLostServerCalls } from "../context/server-calls.ts";
import { stateAfterStart } from "../fold/state-after.ts";
import { isByLogOnly } from "../hooks/log-only.ts";
import type { Leg } from "../leg/leg.ts";
import type { NewEvent } from "../log/event.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { decide } from "./decide.ts";
import { hooksWith } from "./hooks/call-hooks.ts";
import { nowOf } from "./loop.ts";
import { type PreparedRequest, prepareRequest } from "./turn/prepare-request.ts";

/**
 * Prepares the first request of a run that is about to start with these events, so that one append stores
 * them and the request. Returns `undefined` if something may come between: a hook, a checkpoint, `deps` that
 * are still being made, files, or a limit. The run's loop then prepares the request after the start.
 */
export async function firstRequest(
  leg: Leg,
  events: readonly NewEvent[],
): Promise<PreparedRequest | undefined> {
  if (openRun(leg.log.state) !== undefined || leg.life.signal.aborted) return undefined;
  if (asksFirst(leg) || !(await isAtHand(leg.makeDeps()))) return undefined;
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
  if (leg.agent.checkpointWhen.length > 0) return true;
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

/** Returns the leg as it is once the run has started. */
function startedLeg(leg: Leg, state: SessionState): Leg {
  return Object.create(leg, {
    log: { value: { ...leg.log, state } },
    // The run's time begins with its leg.
    life: { value: Object.create(leg.life, { legMs: { value: () => 0 } }) },
  }) as Leg;
}

/** How many microtasks `deps` may take: as many as a few nested async functions that wait for nothing. */
const TICKS = 20;

/**
 * Returns whether a promise is fulfilled without waiting for anything outside the program. A message must not
 * wait for the application before it is stored.
 */
async function isAtHand(promise: Promise<unknown>): Promise<boolean> {
  let isFulfilled = false;
  promise.then(
    () => {
      isFulfilled = true;
    },
    () => undefined,
  );
  for (let tick = 0; tick < TICKS && !isFulfilled; tick += 1) await undefined;
  return isFulfilled;
}
