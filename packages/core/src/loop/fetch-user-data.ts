import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { timeLimit, withinDeadline } from "../base/deadline.ts";
import { causeOf, messageOf } from "../base/errors.ts";
import { type ErrorReport, errorEvent } from "../log/error-event.ts";
import type { Session } from "../log/session-row.ts";

/** What is known of the session's user, or why it is not known at the moment. */
export interface FetchedUserData {
  /** Empty when there is nothing to say. */
  text: string;
  failure: ReturnType<typeof errorEvent> | undefined;
}

/** Asks the agent's `userData`. Whatever goes wrong is an error to be logged and never in a run's way. */
export async function fetchUserData(
  agent: Agent,
  session: Session,
  deps: () => Promise<unknown>,
  clock: Clock,
): Promise<FetchedUserData> {
  const { userData, userDataTimeoutMs } = agent;
  if (userData === undefined) return { text: "", failure: undefined };
  const time = timeLimit(clock, userDataTimeoutMs);
  try {
    const asked = (async () => userData({ session, deps: (await deps()) as never, signal: time.signal }))();
    const text = await withinDeadline({ clock, signal: time.signal }, asked);
    if (typeof text !== "string") throw new TypeError("userData has to return a string.");
    return { text: text.trim(), failure: undefined };
  } catch (cause) {
    return { text: "", failure: errorEvent(userDataFailure(cause)) };
  } finally {
    time.clear();
  }
}

function userDataFailure(cause: unknown): ErrorReport {
  return { code: "user_data_failed", message: messageOf(cause), context: causeOf(cause) };
}
