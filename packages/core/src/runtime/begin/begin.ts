import type { Agent } from "../../agent/agent.ts";
import { timeLimit } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { Session } from "../../log/session-row.ts";
import { notifyHooksOfStart } from "../../loop/start-run.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { ActiveLeg, Host } from "../leg/host.ts";
import { type OpenLeg, openLeg } from "../leg/leg-runner.ts";
import type { RunStart } from "../leg/run-handle.ts";

/** The pause before a session that somebody holds is tried again, in milliseconds. */
export const PAUSE_MS = 10;

/** A run that is safely stored, and the leg that works on it if it is this process's. */
export interface Begun {
  start: RunStart;
  leg: ActiveLeg | undefined;
  /** Detaches the caller's signal from a run that another leg works on. */
  release?: () => void;
}

/** Goes on with a run that nobody works on. `undefined`: somebody does, or there is nothing to go on with. */
export async function recover(
  host: Host,
  session: Session,
  agent: Agent,
  signal?: AbortSignal,
): Promise<ActiveLeg | undefined> {
  const leg = await openLeg(host, session, agent);
  if (leg === undefined) return undefined;
  const run = openRun(leg.log.state);
  if (run === undefined) {
    await leg.close();
    return undefined;
  }
  return await resumeRun(leg, run, signal);
}

/**
 * Goes on with the run that a leg has found open. `undefined`: another process has taken the session over
 * meanwhile.
 */
export async function resumeRun(
  leg: OpenLeg,
  run: RunState,
  signal?: AbortSignal,
): Promise<ActiveLeg | undefined> {
  try {
    if (run.unsettled) await leg.log.append([{ type: "run_recovered", data: { run_id: run.runId } }]);
  } catch (error) {
    await leg.close();
    if (PawlError.is(error, "fenced")) return undefined;
    throw error;
  }
  return leg.go(signal);
}

/**
 * Notifies the hooks why a run has begun without user data, if it has, for no longer than the lease lasts.
 */
export async function notifyOfStart(
  { clock, leaseTtlMs }: Host,
  begun: Parameters<typeof notifyHooksOfStart>[1],
  start: Parameters<typeof notifyHooksOfStart>[2],
): Promise<void> {
  const time = timeLimit(clock, leaseTtlMs);
  try {
    await notifyHooksOfStart({ clock, signal: time.signal, abortGraceMs: 0 }, begun, start);
  } finally {
    time.clear();
  }
}
