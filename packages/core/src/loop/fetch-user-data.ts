import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Access, Leg } from "../leg/leg.ts";
import { errorEvent } from "../log/error-event.ts";
import type { Session } from "../log/session-row.ts";
import { seldomUsed } from "./seldom/seldom-used.ts";

/** The user data of a session, or why it could not be fetched. */
export interface FetchedUserData {
  /** The user data; empty by default. */
  text: string;
  failure: ReturnType<typeof errorEvent> | undefined;
}

/**
 * Calls the agent's `userData`. If that fails, `failure` is the error event to log, and the run starts
 * without user data.
 */
export async function fetchUserData(
  { agent, session }: { agent: Agent; session: Session },
  access: Access,
  { clock, hide }: { clock: Clock; hide: Leg["hide"] },
): Promise<FetchedUserData> {
  if (agent.userData === undefined) return { text: "", failure: undefined };
  const { readUserData, userDataFailure } = await seldomUsed();
  try {
    return { text: hide(await readUserData({ agent, session, access, clock })), failure: undefined };
  } catch (cause) {
    return { text: "", failure: hide(errorEvent(userDataFailure(cause))) };
  }
}
