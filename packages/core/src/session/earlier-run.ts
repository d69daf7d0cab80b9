import { PawlError } from "../errors.ts";
import type { EventStore } from "../events/event-store.ts";
import type { RunStart } from "../run-handle.ts";
import { eventKey } from "./keys.ts";

/** A message as its client sends it. */
interface Sent {
  message: string;
  clientMessageId?: string | undefined;
}

/**
 * Finds the start of the run that this client message began earlier, or of its last retry, or the place where
 * it was queued.
 *
 * @throws PawlError `invalid_input` if the message was stored with a different text under that id.
 */
export async function earlierRun(
  store: EventStore,
  sessionId: string,
  { message, clientMessageId }: Sent,
): Promise<RunStart | undefined> {
  if (clientMessageId === undefined) return undefined;
  const key = eventKey.message(clientMessageId);
  let last: RunStart | undefined;
  let found: RunStart | undefined;
  for await (const event of store.read(sessionId, { types: ["run_started", "user_message"] })) {
    if (event.type === "run_started") {
      const { run_id: runId, retry_of } = event.data;
      last = { sessionId, runId, afterSeq: event.seq - 1 };
      if (found !== undefined && found.runId === retry_of) found = last;
    } else if (event.type === "user_message" && event.key === key) {
      const { seq, data } = event;
      if (data.message !== message.toWellFormed()) throw otherWords();
      found = last && data.queued ? { ...last, afterSeq: seq - 1, messageSeq: seq } : last;
    }
  }
  return found;
}

/**
 * Finds the start of the run that retries this one. If that run was retried in turn, finds the last retry.
 */
export async function retryOf(
  store: EventStore,
  sessionId: string,
  runId: string,
): Promise<RunStart | undefined> {
  let found: RunStart | undefined;
  for await (const { type, data, seq } of store.read(sessionId, { types: ["run_started"] })) {
    if (type !== "run_started" || data.retry_of !== (found?.runId ?? runId)) continue;
    found = { sessionId, runId: data.run_id, afterSeq: seq - 1 };
  }
  return found;
}

function otherWords(): PawlError {
  return new PawlError(
    "invalid_input",
    "A message of this id was stored with another text. A stored message cannot be changed: send a new one, with an id of its own.",
  );
}
