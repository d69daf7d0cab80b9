import type { Agent } from "../../agent/agent.ts";
import { withTimeLimit } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { notifyHooksOfStart } from "../../loop/start-run.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { ActiveLeg, BegunBy, Host } from "../leg/host.ts";
import type { OpenLeg } from "../leg/leg-runner.ts";
import { openLeg } from "../leg/open-leg.ts";
import { FREE_PLACE } from "../leg/place.ts";
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

/** Why nothing has begun. The caller looks at the session again. */
export type NotBegun =
  /** Another leg has the session's lease, and this one has not, or not any more. */
  | "taken"
  /** Something was stored first. This leg goes on: what it decided is void. */
  | "overtaken"
  /** Another leg is about to start a run, or to store an answer. */
  | "starting";

/**
 * Resumes the session's open run if no process is working on it. Returns `undefined` if a process is working
 * on it, or if no run is open.
 */
export async function recover(
  host: Host,
  session: Session,
  agent: Agent,
  { signal, ...from }: BegunBy & { signal?: AbortSignal | undefined; onlyEnds?: boolean } = {},
): Promise<ActiveLeg | undefined> {
  const leg = await openLeg(host, session, agent, from);
  return leg && (await resumeOpenRun(leg, signal));
}

/** A run that waits for a time which has not come. */
export interface NotDue {
  /** How long it still waits, in milliseconds, by the store's clock. */
  waitMs: number;
}

/** Returns whether a run was resumed. */
export function isResumed(leg: ActiveLeg | NotDue | undefined): leg is ActiveLeg {
  return leg !== undefined && "done" in leg;
}

/** Resumes the session's open run as {@link recover} does, unless it waits for a time. */
export async function recoverIfDue(
  host: Host,
  session: Session,
  agent: Agent,
  from: BegunBy,
): Promise<ActiveLeg | NotDue | undefined> {
  const leg = await openLeg(host, session, agent, from);
  if (leg === undefined || leg.waitMs === 0) return leg && (await resumeOpenRun(leg));
  const { waitMs } = leg;
  // Closing the leg frees its place.
  const { place, ...rest } = from;
  const active = await giveBack(host, session, agent, leg, place === FREE_PLACE ? from : rest);
  return active ?? { waitMs };
}

async function resumeOpenRun(leg: OpenLeg, signal?: AbortSignal): Promise<ActiveLeg | undefined> {
  const run = openRun(leg.log.state);
  if (run !== undefined) return await resumeRun(leg, run, signal);
  await leg.close();
  return undefined;
}

/**
 * Resumes the session's open run after an answer or a message for it was stored. If its tools cannot be read,
 * the returned leg fails, because the caller must not send the answer or the message again.
 */
export async function recoverStored(...given: Parameters<typeof recover>): Promise<ActiveLeg | undefined> {
  return await recover(...given).catch(failedLeg);
}

/** Returns a leg that has failed because its tools could not be read. Throws any other error. */
export function failedLeg(error: unknown): ActiveLeg {
  if (!PawlError.is(error, "tools_failed")) throw error;
  const done = Promise.reject(error);
  done.catch(() => undefined);
  return {
    done,
    catchUp: async () => undefined,
    abort: () => undefined,
    leave: () => undefined,
  };
}

/**
 * Resumes the open run in this leg, which may have stored an answer before. Returns `undefined` if another
 * process took over the session first.
 */
export async function resumeRun(
  leg: OpenLeg,
  run: RunState,
  signal?: AbortSignal,
  after: "resume" | "answered" = "resume",
): Promise<ActiveLeg | undefined> {
  // The process that the engine finds prepares the run.
  if (leg.isGivenAway) return leg.go({ signal });
  try {
    await leg.readyTo(after);
    const recovered: NewEvent = { type: "run_recovered", data: { run_id: run.runId } };
    const events = run.unsettled ? [recovered, ...leg.changes()] : leg.changes();
    if (events.length > 0) await leg.log.add(events);
  } catch (error) {
    await leg.close();
    if (PawlError.is(error, "fenced")) return undefined;
    throw error;
  }
  return leg.go({ signal });
}

/**
 * Releases the lease of a leg that has stored nothing. If others have stored something for the open run
 * meanwhile, and could not continue it because of the lease, resumes the run and returns its leg.
 */
export async function giveBack(
  host: Host,
  session: Session,
  agent: Agent,
  leg: OpenLeg,
  from: BegunBy = {},
): Promise<ActiveLeg | undefined> {
  const { lastSeq } = leg.log.state;
  await leg.close();
  // From now on, other processes find the session free.
  for await (const _ of host.store.read(session.id, { afterSeq: lastSeq, limit: 1 })) {
    return await recoverStored(host, session, agent, from);
  }
  return undefined;
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
