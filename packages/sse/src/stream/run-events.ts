import { type RunStart, type Runtime, readShown, type SessionEvent, type StoredEvent } from "@pawl/core";
import { waitsForTime } from "@pawl/core/view";
import { type Followed, passedOn } from "../dialects/base/followed.ts";
import type { Reader } from "../session/caller.ts";
import { givesCredentials } from "../session/gives-credentials.ts";

/** The place where the output of a run begins, and its reader. */
export type Told = RunStart & Followed & { reader: Reader };

/**
 * Yields a run's events from its start until the run waits for an answer or ends. Does not stop at questions
 * that have been answered since.
 */
export async function* runEvents(
  runtime: Runtime,
  { sessionId, runId, afterSeq, messageSeq, again = false, reader }: Told,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void, undefined> {
  let awaited = { runId, again, ...(messageSeq !== undefined && { messageSeq }) };
  let cursor = afterSeq;
  let rests = false;
  let asksForCredentials = false;
  for await (const event of readShown(runtime.store, sessionId, { afterSeq })) {
    if (signal.aborted) return;
    yield event;
    cursor = event.seq;
    asksForCredentials = isForCredentials(event) ?? asksForCredentials;
    if (event.type === "run_suspended" && !waitsForTime(event.data))
      rests = event.data.run_id === awaited.runId;
    else if (event.type === "tool_answered") rests = false;
    else if (event.type === "run_ended" && event.data.run_id === awaited.runId) {
      const next = passedOn(awaited, event);
      if (next === undefined) return;
      awaited = { ...awaited, runId: next };
    }
  }
  // The run's own caller continues a run that waits for credentials, by reading it.
  if (rests && !(asksForCredentials && (await givesCredentials(runtime, sessionId, reader)))) return;
  const untilIdle = again ? true : awaited;
  yield* runtime.follow(sessionId, { afterSeq: cursor, signal, untilIdle, resume: true, ...reader });
}

/** Returns whether the last question asks for credentials; `undefined` for an event that is no question. */
function isForCredentials(event: StoredEvent): boolean | undefined {
  return event.type === "tool_suspended" ? event.data.before === "resume" : undefined;
}
