import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../log/session-row.ts";
import { type NotDue, releaseOrResume, resumeOpenRun } from "../begin/begin.ts";
import { type Host, type LegOptions, noSuchAgent, type Work } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";
import type { LeasedSession } from "../leg/leased-session.ts";
import { UNCOUNTED_PLACE } from "../leg/place.ts";
import { lackedAgent } from "../leg/speaking-agent.ts";

/**
 * The number of lease times for which a run is left to processes that have its agent. During a deploy, other
 * processes may run another version of the application.
 */
const LEASES_FOR_OTHERS = 10;

/**
 * Resumes the session's open run as `recover` does, unless it waits for a time. Then returns how long it
 * still waits.
 *
 * @throws PawlError `not_found` if this runtime lacks the agent to which the conversation was handed over,
 * and another process may still continue the run
 */
export async function recoverIfDue(
  host: Host,
  session: Session,
  agent: Agent,
  from: LegOptions,
): Promise<Work | NotDue | undefined> {
  const leased = await leaseSession(host, session, agent, from);
  if (leased === undefined) return undefined;
  // `releaseOrResume` frees the place. If it resumes the run, the new leg needs another place.
  const { place, ...withoutPlace } = from;
  const fromNow = place === UNCOUNTED_PLACE ? from : withoutPlace;
  const lacking = lackedAgent(host, session, leased.log.state);
  if (leased.waitMs === 0 && lacking !== undefined && mayBeContinued(host, session, leased)) {
    await leased.close();
    throw noSuchAgent(host, lacking, ` It has the conversation of the session "${session.id}".`);
  }
  if (leased.waitMs === 0) return await resumeOpenRun(leased);
  const { waitMs } = leased;
  return (await releaseOrResume(host, session, agent, leased, fromNow)) ?? { waitMs };
}

/** Returns whether another process may still continue a run whose agent this runtime lacks. */
function mayBeContinued({ leaseTtlMs }: Host, { wakeAt }: Session, { log, lease }: LeasedSession): boolean {
  const dueAt = Math.max(Date.parse(log.state.lastAt), wakeAt == null ? 0 : Date.parse(wakeAt));
  return Date.parse(lease.acquiredAt) - dueAt < LEASES_FOR_OTHERS * leaseTtlMs;
}
