import type { Agent } from "../agent/agent.ts";
import { systemClock } from "../base/clock.ts";
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
): Promise<FetchedUserData> {
  const { userData, userDataTimeoutMs } = agent;
  if (userData === undefined) return { text: "", failure: undefined };
  try {
    const text = await inTime(userDataTimeoutMs, async (signal) =>
      userData({ session, deps: (await deps()) as never, signal }),
    );
    if (typeof text !== "string") throw new TypeError("userData has to return a string.");
    return { text: text.trim(), failure: undefined };
  } catch (cause) {
    return { text: "", failure: errorEvent(failed(cause)) };
  }
}

function failed(cause: unknown): ErrorReport {
  return { code: "user_data_failed", message: messageOf(cause), context: causeOf(cause) };
}

async function inTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const control = new AbortController();
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.after(ms, () => {
      const error = new Error(`It took longer than ${ms} ms.`);
      control.abort(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([work(control.signal), late]);
  } finally {
    cancel?.();
  }
}
