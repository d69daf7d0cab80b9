import type { Agent } from "../../agent/agent.ts";
import { PawlError } from "../../base/errors.ts";
import type { NewEvent } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";
import { leaseSession } from "../leg/lease-session.ts";

/** The events to append, and the result that the caller gets once they are stored. */
interface Made<T> {
  result: T;
  events: readonly NewEvent[];
}

/**
 * Calls `make` for a session without an open run, and appends the events that it returns, under the session's
 * lease. If another process stores something first, calls `make` again with the new state. With `evenOpen`,
 * the session may have an open run that no process works on.
 *
 * @throws PawlError `session_busy` if a run is open, and any error of `make`.
 */
export async function whileIdle<T>(
  host: Host,
  session: Session,
  agent: Agent,
  make: (state: SessionState) => Made<T> | Promise<Made<T>>,
  { evenOpen = false }: { evenOpen?: boolean } = {},
): Promise<T> {
  const leg = await leaseSession(host, session, agent);
  if (leg === undefined) throw openRunError();
  try {
    for (;;) {
      if (!evenOpen && openRun(leg.log.state) !== undefined) throw openRunError();
      const { lastSeq: seq } = leg.log.state;
      const { result, events } = await make(leg.log.state);
      if (events.length === 0) return result;
      if (await leg.log.appendAtTip(events, { seq })) return result;
    }
  } finally {
    await leg.close();
  }
}

function openRunError(): PawlError {
  return new PawlError("session_busy", "This session has an open run. Wait for it, or stop it.");
}
