import type { EventStore, StoredEvent, StoredOf } from "@pawl/core";
import { reservationIdOf } from "../base/reservation-id.ts";
import type { BackendClient } from "./backend-client.ts";
import { runMessages } from "./run-messages.ts";

/**
 * Settles runs that ended while the backend was down for long: after four recoveries, a run ends without its
 * last hooks. The backend knows the turns that are not settled, and the log what they used. Returns how many
 * were settled.
 */
export async function settleEnded(store: EventStore, backend: BackendClient): Promise<number> {
  let settled = 0;
  for (const { reservation_id, session_id, user_id } of await backend.unsettled()) {
    const events = await Array.fromAsync(store.read(session_id));
    const run = runOf(events, (requestId) => reservationIdOf(user_id, requestId) === reservation_id);
    if (run === "open") continue;
    // Without a run of its own, a request was refused after its reservation, or another run answered it.
    const tokens_used = run?.end.data.tokens.total ?? 0;
    const partial_messages = runMessages(run?.events ?? []);
    await backend.abort({ reservation_id, tokens_used, partial_messages, final: true });
    settled += 1;
  }
  return settled;
}

/** Returns the run that began with a request, or `open` if it has not ended; `undefined` if none began. */
function runOf(
  events: readonly StoredEvent[],
  isRequest: (requestId: string) => boolean,
): { end: StoredOf<"run_ended">; events: StoredEvent[] } | "open" | undefined {
  const starts = events.filter((event) => event.type === "run_started");
  const ends = events.filter((event) => event.type === "run_ended");
  // A run without a message of its own, e.g. a retry, is charged to its own id.
  const own = starts.find(({ data }) => isRequest(data.run_id));
  if (own !== undefined) return endedRun(events, own, []);
  const sent = events.findLast(
    (event) => event.type === "user_message" && isRequest(String(event.data.params?.request_id)),
  );
  if (sent?.type !== "user_message") return undefined;
  // A message that arrived during a run begins the next one, if that run names it.
  const next = ends.find(({ data }) => data.next?.messages[0] === sent.seq)?.data.next?.run_id;
  const isOpen = starts.length > ends.length;
  if (sent.data.queued === true && next === undefined) return isOpen ? "open" : undefined;
  const start =
    starts.find(({ data }) => data.run_id === next) ?? starts.findLast(({ seq }) => seq < sent.seq);
  return start === undefined ? "open" : endedRun(events, start, [sent]);
}

/** Returns how a run ended, with these messages and its other events, or `open` if it has not ended. */
function endedRun(
  events: readonly StoredEvent[],
  start: StoredOf<"run_started">,
  sent: readonly StoredEvent[],
): { end: StoredOf<"run_ended">; events: StoredEvent[] } | "open" {
  const { run_id } = start.data;
  const end = events.find((event) => event.type === "run_ended" && event.data.run_id === run_id);
  if (end?.type !== "run_ended") return "open";
  const within = events.filter(
    (event) => event.seq > start.seq && event.seq < end.seq && !sent.includes(event),
  );
  return { end, events: [...sent, ...within] };
}
