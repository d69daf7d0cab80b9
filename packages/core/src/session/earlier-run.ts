import type { EventStore } from "../events/event-store.ts";
import type { RunStart } from "../run-handle.ts";
import { eventKey } from "./keys.ts";

/** Where the run began that this client message started before, or where the message was queued. */
export async function earlierRun(
  store: EventStore,
  sessionId: string,
  clientMessageId: string | undefined,
): Promise<RunStart | undefined> {
  if (clientMessageId === undefined) return undefined;
  const key = eventKey.message(clientMessageId);
  let started: RunStart | undefined;
  for await (const event of store.read(sessionId, { types: ["run_started", "user_message"] })) {
    if (event.type === "run_started") {
      started = { sessionId, runId: event.data.run_id, afterSeq: event.seq - 1 };
    } else if (event.type === "user_message" && event.key === key) {
      const { seq, data } = event;
      return started && data.queued ? { ...started, afterSeq: seq - 1, messageSeq: seq } : started;
    }
  }
  return undefined;
}
