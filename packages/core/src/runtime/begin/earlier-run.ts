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
  let latest: RunStart | undefined;
  let found: RunStart | undefined;
  // The id of the run that answers the message. A queued message may be handed over to the next run.
  let answeringId: string | undefined;
  for await (const event of store.read(sessionId, { types: ["run_started", "run_ended", "user_message"] })) {
    if (event.type === "run_started") {
      const { run_id: runId, retry_of } = event.data;
      latest = { sessionId, runId, afterSeq: event.seq - 1 };
      const isRetryOfFound = found !== undefined && answeringId === retry_of;
      if (!isRetryOfFound) continue;
      found = latest;
      answeringId = runId;
    } else if (event.type === "run_ended") {
      answeringId = answeringAfter(answeringId, found?.messageSeq, event.data);
    } else if (event.type === "user_message" && event.key === key) {
      const { seq, data } = event;
      checkSameContent(incoming, data);
      found = latest && data.queued ? { ...latest, afterSeq: seq - 1, messageSeq: seq } : latest;
      answeringId = latest?.runId;
    }
  }
  return found;
}

/**
 * Returns the id of the run that answers a message after the end of a run: the next run if the ended run
 * handed the message over, or else the same run as before.
 */
function answeringAfter(
  answeringId: string | undefined,
  messageSeq = -1,
  { run_id, next }: EventData["run_ended"],
): string | undefined {
  return run_id === answeringId && next?.messages.includes(messageSeq) ? next.run_id : answeringId;
}

/** Finds the retry of a run. If the retry was retried too, finds the last retry. */
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

/**
 * Checks that a message that is sent again has its stored text and files. A task may have another text.
 *
 * @throws PawlError `invalid_input`
 */
function checkSameContent(
  { message, files = [], isTask }: IncomingMessage,
  stored: EventData["user_message"],
): void {
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).join();
  const isSame = stored.message === message.toWellFormed() && idsOf(stored.files ?? []) === idsOf(files);
  if (isTask || isSame) return;
  throw new PawlError(
    "invalid_input",
    "A message with this id was already stored with a different text or other files. Send the changed message under a new id.",
  );
}
