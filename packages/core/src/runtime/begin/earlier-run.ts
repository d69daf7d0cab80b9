import { PawlError } from "../../base/errors.ts";
import type { EventData } from "../../log/event-data.ts";
import { eventKey } from "../../log/event-keys.ts";
import type { EventStore } from "../../log/store/event-store.ts";
import type { RunStart } from "../leg/run-handle.ts";
import type { IncomingMessage } from "./incoming-message.ts";

/**
 * Finds the run of a message that was already stored under its client id: the run that it started or was
 * queued for, or the last retry of that run. Returns `undefined` if the message is not stored.
 *
 * @throws PawlError `invalid_input` if a message with another text or other files is stored under the same
 * client id.
 */
export async function earlierRun(
  store: EventStore,
  incoming: IncomingMessage,
): Promise<RunStart | undefined> {
  if (incoming.clientMessageId === undefined) return undefined;
  const { id: sessionId } = incoming.session;
  const key = eventKey.message(incoming.clientMessageId);
  let last: RunStart | undefined;
  let found: RunStart | undefined;
  // The id of the run that answers the message. A queued message may be handed over to the next run.
  let answering: string | undefined;
  for await (const event of store.read(sessionId, { types: ["run_started", "run_ended", "user_message"] })) {
    if (event.type === "run_started") {
      const { run_id: runId, retry_of } = event.data;
      last = { sessionId, runId, afterSeq: event.seq - 1 };
      if (found === undefined || answering !== retry_of) continue;
      found = last;
      answering = runId;
    } else if (event.type === "run_ended") {
      answering = takenUpBy(answering, found?.messageSeq, event.data);
    } else if (event.type === "user_message" && event.key === key) {
      const { seq, data } = event;
      checkWords(incoming, data);
      found = last && data.queued ? { ...last, afterSeq: seq - 1, messageSeq: seq } : last;
      answering = last?.runId;
    }
  }
  return found;
}

/**
 * Returns the id of the run that answers a message, after the end of a run that may have handed the message
 * over.
 */
function takenUpBy(
  answering: string | undefined,
  messageSeq = -1,
  { run_id, next }: EventData["run_ended"],
): string | undefined {
  return run_id === answering && next?.messages.includes(messageSeq) ? next.run_id : answering;
}

/** Finds the retry of a run. If the retry was retried too, finds the last one. */
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

function checkWords(
  { message, files = [], isTask }: IncomingMessage,
  stored: EventData["user_message"],
): void {
  const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id).join();
  const isSame = stored.message === message.toWellFormed() && ids(stored.files ?? []) === ids(files);
  if (isTask || isSame) return;
  throw new PawlError(
    "invalid_input",
    "A message with this id was already stored with a different text or other files. Send the changed message under a new id.",
  );
}
