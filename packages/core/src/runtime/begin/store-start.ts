import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { FetchedUserData } from "../../loop/leg/part-types.ts";
import { openRun } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import type { GoOptions, LeasedSession } from "../leg/leased-session.ts";
import { type Begun, type NotBegun, notifyOfStart } from "./begin.ts";

/** A run that is about to start. */
interface Starting extends GoOptions {
  session: Session;
  agent: Agent;
  run: { runId: string; userData: FetchedUserData };
  /** What {@link LeasedSession.startsAtOnce} has said. */
  atOnce: boolean;
}

/**
 * Starts a run with these events. Returns `overtaken` if something else was stored first; then the caller
 * must decide again. If nothing has to be awaited first, the loop's first append stores the events, together
 * with what follows from them, e.g. the first request.
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
  // Hooks are notified of a failure, and append under the lease.
  const isWell = run.userData.failure === undefined;
  const isNew = openRun(log.state) === undefined;
  if (isWell && isNew && atOnce) return await goAtOnce(leased, events, start, { signal, mayBegin });
  if (!(await log.appendAtTip(events, { seq: afterSeq, ...(isWell && { giveAway }) }))) return "overtaken";
  await notifyOfStart(host, { agent, session, log }, run);
  const begins = mayBegin === undefined || (await mayBegin());
  return { start, work: leased.go({ signal: begins ? signal : AbortSignal.abort() }) };
}

async function goAtOnce(
  leased: LeasedSession,
  events: readonly NewEvent[],
  start: Begun["start"],
  options: GoOptions,
): Promise<Begun | "taken"> {
  const outcome = Promise.withResolvers<readonly StoredEvent[]>();
  outcome.promise.catch(() => undefined);
  await leased.log.hold(events, { outcome, atTip: true });
  const active = leased.go(options);
  try {
    const [first] = await outcome.promise;
    return { start: { ...start, afterSeq: (first?.seq ?? 1) - 1 }, work: active };
  } catch (cause) {
    await active.done.catch(() => undefined);
    // Another process has stored something first, and the leg is over.
    if (PawlError.is(cause, "conflict")) return "taken";
    throw cause;
  }
}
