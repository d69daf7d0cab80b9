import type { Agent } from "../../agent/agent.ts";
import { anySignal } from "../../base/any-signal.ts";
import type { Clock } from "../../base/clock.ts";
import { withinDeadline, withTimeLimit } from "../../base/deadline.ts";
import { causeOf, messageOf } from "../../base/errors.ts";
import type { Access } from "../../leg/leg.ts";
import type { ErrorReport } from "../../log/error-event.ts";
import type { Session } from "../../log/session-row.ts";

interface UserDataCall {
  agent: Agent;
  session: Session;
  access: Access;
  clock: Clock;
  /** Ends the call when it is aborted. */
  signal?: AbortSignal;
}

/**
 * Calls the agent's `userData` within its time limit. Rejects if it fails or the signal is aborted. The text
 * may repeat credentials: hide them before it is compared with what is stored.
 */
export async function readUserData({ agent, session, access, clock, signal }: UserDataCall): Promise<string> {
  const { userData, userDataTimeoutMs } = agent;
  if (userData === undefined) return "";
  const text = await withTimeLimit(clock, userDataTimeoutMs, (timeUp) => {
    const either = signal === undefined ? timeUp : anySignal([timeUp, signal]);
    const { caller, credentials } = access;
    const read = (async () => {
      const deps = (await access.makeDeps()) as never;
      return await userData({ session, caller, credentials, deps, signal: either });
    })();
    return withinDeadline({ clock, signal: either }, read);
  });
  if (typeof text !== "string")
    throw new TypeError(`userData must return a string, not a value of type ${typeof text}.`);
  return text.trim();
}

/** Returns the error to log for a `userData` that failed. */
export function userDataFailure(cause: unknown): ErrorReport {
  return { code: "user_data_failed", message: messageOf(cause), context: causeOf(cause) };
}
