import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { withinDeadline, withTimeLimit } from "../base/deadline.ts";
import { causeOf, messageOf } from "../base/errors.ts";
import { errorEvent } from "../log/error-event.ts";
import type { Session } from "../log/session-row.ts";

/** The user data of a session, or why it could not be fetched. */
export interface FetchedUserData {
  /** The user data; empty by default. */
  text: string;
  failure: ReturnType<typeof errorEvent> | undefined;
}

/**
 * Calls the agent's `userData`. Never rejects: `failure` is the error event to log, and the run starts
 * without user data.
 */
export async function fetchUserData(
  agent: Agent,
  session: Session,
  deps: () => Promise<unknown>,
  clock: Clock,
): Promise<FetchedUserData> {
  const { userData, userDataTimeoutMs } = agent;
  if (userData === undefined) return { text: "", failure: undefined };
  try {
    const text = await withTimeLimit(clock, userDataTimeoutMs, (signal) => {
      const fetched = (async () => userData({ session, deps: (await deps()) as never, signal }))();
      return withinDeadline({ clock, signal }, fetched);
    });
    if (typeof text !== "string")
      throw new TypeError(`userData must return a string, not a value of type ${typeof text}.`);
    return { text: text.trim(), failure: undefined };
  } catch (cause) {
    const error = { code: "user_data_failed", message: messageOf(cause), context: causeOf(cause) };
    return { text: "", failure: errorEvent(error) };
  }
}
