import type { Agent } from "../agent.ts";
import { systemClock } from "../clock.ts";
import { causeOf, messageOf } from "../errors.ts";
import type { Session } from "../events/session-row.ts";
import { type ErrorReport, errorEvent } from "../leg.ts";
import type { TextBlock } from "../model/content.ts";
import { wrap } from "./sanitize.ts";

/**
 * What an agent's `userData` is given.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ script: [{ text: "Good morning, Ada." }] });
 * const coach = agent({
 *   name: "coach",
 *   model,
 *   instructions: "You are a coach.",
 *   userData: ({ session }) => `<name>${session.userId}</name>`,
 * });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * await pawl.run("coach", { userId: "Ada", input: "Good morning" }).result;
 * console.log(model.requests[0]?.system); // two blocks; the second is <user_data> …
 * ```
 */
export interface UserDataSource<Deps = unknown> {
  session: Session;
  /** What the runtime's `deps` made for this session. */
  deps: Deps;
  /** Fires when it takes too long. */
  signal: AbortSignal;
}

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

/** User data as a system block of its own. */
export function userDataBlock(text: string): TextBlock {
  return { type: "text", text: wrap("user_data", text) };
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
