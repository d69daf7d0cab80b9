import type { Agent } from "../../agent/agent.ts";
import { withTimeLimit } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import { agentChange } from "../../context/agent-change.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { notifyHooksOfStart } from "../../loop/start-run.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { ActiveLeg, AskedBy, Host } from "../leg/host.ts";
import { type OpenLeg, openLeg } from "../leg/leg-runner.ts";
import type { RunStart } from "../leg/run-handle.ts";

/** The pause before the next attempt to open a session that another leg holds, in milliseconds. */
export const PAUSE_MS = 10;

/** A stored run, and its leg if it runs in this process. */
export interface Begun {
  start: RunStart;
  leg: ActiveLeg | undefined;
  /** Detaches the caller's signal from a run that another leg is working on. */
  release?: () => void;
}

/**
 * Resumes the session's open run if no process is working on it. Returns `undefined` if a process is working
 * on it, or if no run is open.
 */
export async function recover(
  host: Host,
  session: Session,
  agent: Agent,
  { signal, ...from }: AskedBy & { signal?: AbortSignal | undefined } = {},
): Promise<ActiveLeg | undefined> {
  const leg = await openLeg(host, session, agent, from);
  if (leg === undefined) return undefined;
  const run = openRun(leg.log.state);
  if (run === undefined) {
    await leg.close();
    return undefined;
  }
  return await resumeRun(leg, run, signal);
}

/** Resumes the open run in this leg. Returns `undefined` if another process took over the session first. */
export async function resumeRun(
  leg: OpenLeg,
  run: RunState,
  signal?: AbortSignal,
): Promise<ActiveLeg | undefined> {
  try {
    const recovered: NewEvent = { type: "run_recovered", data: { run_id: run.runId } };
    const changed = agentChange(leg.log.state, run, leg.agent);
    const events = run.unsettled ? [recovered, ...changed] : changed;
    if (events.length > 0) await leg.log.append(events);
  } catch (error) {
    await leg.close();
    if (PawlError.is(error, "fenced")) return undefined;
    throw error;
  }
  return leg.go(signal);
}

/**
 * Notifies the hooks if a run has started without user data because `userData` failed. Gives up after the
 * lease time.
 */
export async function notifyOfStart(
  { clock, leaseTtlMs }: Host,
  begun: Parameters<typeof notifyHooksOfStart>[1],
  start: Parameters<typeof notifyHooksOfStart>[2],
): Promise<void> {
  await withTimeLimit(clock, leaseTtlMs, (signal) =>
    notifyHooksOfStart({ clock, signal, abortGraceMs: 0 }, begun, start),
  );
}
