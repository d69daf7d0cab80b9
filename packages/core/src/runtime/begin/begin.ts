import type { Agent } from "../../agent/agent.ts";
import { withTimeLimit } from "../../base/deadline.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { reportMissingUserData } from "../../loop/start-run.ts";
import { loadParts } from "../../parts/at-hand.ts";
import { openRun, type RunState } from "../../session/state.ts";
import type { Host, LegOptions, Work } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import type { RunStart } from "../leg/run-handle.ts";

/** The pause before the next attempt to open a session whose lease is taken, in milliseconds. */
export const PAUSE_MS = 10;

/** A run whose message or answers are stored. */
export interface Begun {
  start: RunStart;
  /** The run's work; `undefined` if this request has started none. */
  work: Work | undefined;
  /** Detaches the caller's signal from a run that another process or leg works on. */
  release?: () => void;
}

/** Why no run has begun. The caller must decide again. */
export type NotBegun =
  /** Another leg has the session's lease. */
  | "taken"
  /** Another event was stored first, so the decision is void. The lease is kept. */
  | "overtaken"
  /** Another leg has the lease, and is about to start a run, or to store an answer. */
  | "starting";

/**
 * Resumes the session's open run if no process is working on it. Returns `undefined` if a process is working
 * on it, or if no run is open. For `onlyEnds`, see {@link leaseSession}.
 */
export async function recover(
  host: Host,
  session: Session,
  agent: Agent,
  { signal, ...from }: LegOptions & { signal?: AbortSignal | undefined; onlyEnds?: boolean } = {},
): Promise<Work | undefined> {
  const leased = await leaseSession(host, session, agent, from);
  return leased && (await resumeOpenRun(leased, signal));
}

/** Says that a run was not resumed, because it waits for a time. */
export interface NotDue {
  /** How long it still waits, in milliseconds, by the store's clock. */
  waitMs: number;
}

/** Returns whether an attempt to resume a run has led to work. */
export function isResumed(work: Work | NotDue | undefined): work is Work {
  return work !== undefined && "done" in work;
}

/** Resumes the open run of a leased session. Without an open run, releases the lease. */
export async function resumeOpenRun(leased: LeasedSession, signal?: AbortSignal): Promise<Work | undefined> {
  const run = openRun(leased.log.state);
  if (run !== undefined) return await resumeRun(leased, run, signal);
  await leased.close();
  return undefined;
}

/**
 * Resumes the session's open run after an answer or a message for it was stored. If the agent's tools cannot
 * be loaded, returns work that fails. It does not reject, because clients would send the answer or message
 * again.
 */
export async function recoverStored(...args: Parameters<typeof recover>): Promise<Work | undefined> {
  return await recover(...args).catch(asFailedWork);
}

/** Returns work that has failed with the error `tools_failed`. Throws any other error. */
export function asFailedWork(error: unknown): Work {
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
 * Resumes the open run of a leased session. `after` is `answered` if this request has just stored an answer.
 * Returns `undefined` if another process took over the session first.
 */
export async function resumeRun(
  leased: LeasedSession,
  run: RunState,
  signal?: AbortSignal,
  after: "resume" | "answered" = "resume",
): Promise<Work | undefined> {
  // The engine finds another process, which prepares the run.
  if (leased.isGivenAway) return leased.go({ signal });
  try {
    await leased.readyTo(after);
    const recovered: NewEvent = { type: "run_recovered", data: { run_id: run.runId } };
    const events = run.unsettled ? [recovered, ...leased.changes()] : leased.changes();
    if (events.length > 0) await leased.log.add(events);
  } catch (error) {
    await leased.close();
    if (PawlError.is(error, "fenced")) return undefined;
    throw error;
  }
  return leased.go({ signal });
}

/**
 * Releases the lease of a session for which nothing was stored. If another process has stored an event since,
 * the lease kept that process from continuing the run. Then resumes the run and returns its work.
 */
export async function releaseOrResume(
  host: Host,
  session: Session,
  agent: Agent,
  leased: LeasedSession,
  from: LegOptions = {},
): Promise<Work | undefined> {
  const { lastSeq } = leased.log.state;
  await leased.close();
  // Other processes can open the session from now on. The loop runs once if they have stored an event before.
  for await (const _ of host.store.read(session.id, { afterSeq: lastSeq, limit: 1 })) {
    return await recoverStored(host, session, agent, from);
  }
  return undefined;
}

/**
 * Notifies the hooks if a run has started without user data because `userData` failed. Gives up after the
 * lease time.
 */
export async function notifyOfMissingUserData(
  { clock, leaseTtlMs, report }: Host,
  begun: Omit<Parameters<typeof reportMissingUserData>[2], "report">,
  start: Parameters<typeof reportMissingUserData>[3],
): Promise<void> {
  await withTimeLimit(clock, leaseTtlMs, (signal) =>
    reportMissingUserData(loadParts, { clock, signal, abortGraceMs: 0 }, { ...begun, report }, start),
  );
}
