import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { withinDeadline, withTimeLimit } from "../base/deadline.ts";
import { causeOf, messageOf } from "../base/errors.ts";
import { hideInError } from "../base/hide-in-error.ts";
import { anySignal } from "../base/signals.ts";
import { type ErrorReport, errorEvent } from "../log/error-event.ts";
import type { Session } from "../log/session-row.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { Access } from "../loop/leg/leg-access.ts";
import type { FetchedUserData } from "../loop/leg/part-types.ts";
import { namedError } from "./hook-failures.ts";

/**
 * Calls `read` of the agent's `userData`. If that fails, `failure` is the error event to log, and the run
 * starts without user data.
 */
export async function fetchUserData(
  { agent, session }: { agent: Agent; session: Session },
  access: Access,
  { clock, hide }: { clock: Clock; hide: Leg["access"]["hide"] },
): Promise<FetchedUserData> {
  try {
    return { text: hide(await readUserData({ agent, session, access, clock })), failure: undefined };
  } catch (cause) {
    const error = hideInError(namedUserDataError(agent, cause), hide);
    return { text: "", failure: hide(errorEvent(userDataFailure(cause))), error };
  }
}

interface UserDataCall {
  agent: Agent;
  session: Session;
  access: Access;
  clock: Clock;
  /** Ends the call when it is aborted. */
  signal?: AbortSignal;
}

/**
 * Calls `read` of the agent's `userData` within its time limit. Rejects if it fails or the signal is aborted.
 * The text may repeat credentials. Hide them before the text is compared with the stored one.
 */
export async function readUserData({ agent, session, access, clock, signal }: UserDataCall): Promise<string> {
  const { userData } = agent;
  if (userData === undefined) return "";
  const text = await withTimeLimit(clock, userData.timeoutMs, (timeUp) => {
    const ended = signal === undefined ? timeUp : anySignal([timeUp, signal]);
    const { caller, credentials } = access;
    const read = (async () => {
      const deps = (await access.makeDeps()) as never;
      return await userData.read({ session, caller, credentials, deps, signal: ended });
    })();
    return withinDeadline({ clock, signal: ended }, read);
  });
  if (typeof text !== "string")
    throw new TypeError(`userData.read must return a string, not a value of type ${typeof text}.`);
  return text.trim();
}

/** Returns the error to log for a `userData` that failed. */
export function userDataFailure(cause: unknown): ErrorReport {
  return { code: "user_data_failed", message: messageOf(cause), context: causeOf(cause) };
}

/** Returns the error of a `userData` that failed, with the agent's name in its message, for `onError`. */
export function namedUserDataError({ name }: Pick<Agent, "name">, cause: unknown): Error {
  return namedError(`\`userData\` of the agent "${name}" failed`, cause);
}
