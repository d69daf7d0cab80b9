import { type EventStore, readShown, type StoredEvent } from "@pawl/core";
import { reservationIdOf } from "../base/reservation-id.ts";
import type { BackendClient } from "./backend-client.ts";
import { type LoggedRun, loggedRuns, RUN_EVENTS } from "./logged-runs.ts";
import { runMessages } from "./run-messages.ts";

/**
 * Settles runs that ended while the backend was down for long: after four recoveries, a run ends without its
 * last hooks. The backend knows the turns that are not settled, and the log what they used. Returns how many
 * were settled.
 */
export async function settleEnded(store: EventStore, backend: BackendClient): Promise<number> {
  let settled = 0;
  for (const { reservation_id, session_id, user_id } of await backend.unsettled()) {
    const events = await Array.fromAsync(store.read(session_id, { types: RUN_EVENTS }));
    const run = runOf(events, (requestId) => reservationIdOf(user_id, requestId) === reservation_id);
    if (run === "open") continue;
    // Without a run of its own, a request was refused after its reservation, or another run answered it.
    const use = { reservation_id, tokens_used: run?.end?.data.tokens.total ?? 0, final: true };
    if (run === undefined) await backend.abort(use);
    else {
      const partial_messages = runMessages(await shownOf(store, session_id, run));
      await backend.abort({ ...use, partial_messages, begun_at: run.begunAt });
    }
    settled += 1;
  }
  return settled;
}

/**
 * Returns the run that is charged to a request, or `open` if it has not ended, or may still begin;
 * `undefined` without one.
 */
function runOf(
  events: readonly StoredEvent[],
  isRequest: (requestId: string) => boolean,
): LoggedRun | "open" | undefined {
  const runs = loggedRuns(events);
  const run = runs.find(({ requestId }) => isRequest(requestId));
  if (run !== undefined) return run.end === undefined ? "open" : run;
  const isSent = events.some(
    (event) => event.type === "user_message" && isRequest(String(event.data.params?.request_id)),
  );
  // It waits for the end of the open run, or that run answers it.
  return isSent && runs.at(-1)?.end === undefined ? "open" : undefined;
}

/** Returns a run's events without what was redacted. */
// `runOf` reads them as they are: the `params`, which name the requests, are redacted too.
async function shownOf(store: EventStore, sessionId: string, { events }: LoggedRun): Promise<StoredEvent[]> {
  const shown = new Map<number, StoredEvent>();
  for await (const event of readShown(store, sessionId, { types: RUN_EVENTS })) shown.set(event.seq, event);
  return events.map((event) => shown.get(event.seq) ?? event);
}
