import { newUserData } from "../context/prefix.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { type CallState, openRun } from "../session/state.ts";
import { namedUserDataError, readUserData, userDataFailure } from "./read-user-data.ts";

/**
 * Reads the user data again if a tool ran since they were last read, and appends them if they have changed.
 * Called between turns, when every call has its result.
 */
export async function refreshUserData(leg: Leg): Promise<void> {
  const {
    life,
    log,
    run: { agent, session },
    once: { userData: progress },
  } = leg;
  const run = openRun(log.state);
  if (agent.userData === undefined || agent.userData.per === "run") return;
  if (run?.turn === undefined || !run.turn.calls.some(hasTakenEffect)) return;
  // After a failure, this leg does not read again, because each failure may take the whole time limit.
  if (progress.failed || progress.turns === run.turns) return;
  const source = { agent, session, access: leg.access, clock: life.clock, signal: life.signal };
  const textOrCause = await afterBarrier(leg, async () => {
    progress.turns = run.turns;
    return await readUserData(source).then(leg.access.hide, (cause: unknown) => ({ cause }));
  });
  if (life.signal.aborted) return;
  if (typeof textOrCause !== "string") {
    progress.failed = true;
    const { cause } = textOrCause;
    await leg.report.logError(userDataFailure(cause));
    return await afterBarrier(leg, () => leg.report.toFix(namedUserDataError(agent, cause)));
  }
  const changed = newUserData(log.state.userData, textOrCause);
  if (changed.length > 0) await log.add(changed);
}

/** Returns whether a tool ran for the call, or the user answered it. */
function hasTakenEffect({ started, answer }: CallState): boolean {
  return started !== undefined || answer !== undefined;
}
