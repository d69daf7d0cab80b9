import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { FetchedUserData } from "../../loop/leg/part-types.ts";
import { openRun } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import type { GoOptions, LeasedSession } from "../leg/leased-session.ts";
import { type Begun, type NotBegun, notifyOfMissingUserData } from "./begin.ts";

/** A run that is about to start. */
interface Starting extends GoOptions {
  session: Session;
  agent: Agent;
  run: { runId: string; userData: FetchedUserData };
  /**
   * The result of {@link LeasedSession.startsAtOnce}: whether the loop can start before its events are
   * stored.
   */
  atOnce: boolean;
}

/**
 * Starts a run with these events. Returns `overtaken` if another event was stored first. Then the caller must
 * decide again. Returns `taken` if another process has the session by then.
 *
 * If the loop can start at once, its first append stores the events together with those that follow from
 * them, e.g. the first request.
 */
export async function startRun(
  host: Host,
  starting: Starting,
  leased: LeasedSession,
  events: readonly NewEvent[],
): Promise<Begun | Exclude<NotBegun, "starting">> {
  const { agent, session, run, atOnce, signal, mayBegin } = starting;
  const { log, giveAway } = leased;
  const { sessionId, lastSeq: afterSeq } = log.state;
  const start = { sessionId, runId: run.runId, afterSeq };
  // If the user data could not be fetched, hooks are notified first. They may append, which needs the lease.
  const hasUserData = run.userData.failure === undefined;
  const replacesRun = openRun(log.state) !== undefined;
  if (hasUserData && !replacesRun && atOnce)
    return await goAtOnce(leased, events, start, { signal, mayBegin });
  if (!(await log.appendAtTip(events, { seq: afterSeq, ...(hasUserData && { giveAway }) })))
    return "overtaken";
  await notifyOfMissingUserData(host, { agent, session, log }, run);
  const isAllowed = mayBegin === undefined || (await mayBegin());
  return { start, work: leased.go({ signal: isAllowed ? signal : AbortSignal.abort() }) };
}

/**
 * Starts the loop, whose first append stores the events. Returns `taken` if another process stored an event
 * first.
 */
async function goAtOnce(
  leased: LeasedSession,
  events: readonly NewEvent[],
  start: Begun["start"],
  options: GoOptions,
): Promise<Begun | "taken"> {
  const outcome = Promise.withResolvers<readonly StoredEvent[]>();
  outcome.promise.catch(() => undefined);
  await leased.log.holdFacts(events, { outcome, atTip: true });
  const active = leased.go(options);
  try {
    const [first] = await outcome.promise;
    return { start: { ...start, afterSeq: (first?.seq ?? 1) - 1 }, work: active };
  } catch (cause) {
    await active.done.catch(() => undefined);
    // Another process has stored an event first, and the leg has ended.
    if (PawlError.is(cause, "conflict")) return "taken";
    throw cause;
  }
}
