import { PawlError } from "../base/errors.ts";
import type { Switch } from "../base/switch.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { LiveEvent, SessionEvent } from "../log/store/live-event.ts";
import type { LiveState } from "../log/store/live-tail.ts";
import { addLiveEvents, ENDS_ATTEMPT, type ReaderState } from "./cursor.ts";
import { type Reader, type Step, take } from "./reader.ts";
import { recentAfter, storedAfter } from "./stored-events.ts";
import { agentsBelow } from "./sub-agent-text.ts";

/**
 * Does a reader's steps, from `first` on, until the reader waits or has handed out a batch. If a step throws,
 * the reader fails with the error.
 *
 *     look -> readOn … -> showLive -> waitForRing -> look
 */
// Plain steps instead of an async function: a reader that waits is then a single object, and events that are
// in memory need no promise.
export function runSteps(reader: Reader, first: Step): void {
  try {
    for (let step: Step | undefined = first; step !== undefined; ) step = step(reader);
  } catch (error) {
    void finish(reader, { error });
  }
}

/** Hands out the stored events after the cursor, or starts to read them from the store. */
export function readStored(reader: Reader): Step | undefined {
  if (isDone(reader)) return end;
  reader.begun = reader.cursor;
  const stored = storedAfter(reader);
  if (!("next" in stored)) return stored.length === 0 ? showLive : show(reader, stored, showLive);
  reader.reading = stored;
  return readOn;
}

/** Waits for the next batch of the read in progress, and hands it out. */
function readOn(reader: Reader): Step | undefined {
  const { reading } = reader;
  if (reading === undefined) return showLive;
  if (isDone(reader)) return end;
  reading.next().then(
    ({ done, value }) => {
      if (done === true) reader.reading = undefined;
      runSteps(reader, done === true ? showLive : () => show(reader, value, readOn));
    },
    (error: unknown) => {
      reader.reading = undefined;
      void finish(reader, { error });
    },
  );
  return undefined;
}

/** Hands out stored events, with the live events that belong to them. */
function show(reader: Reader, events: readonly StoredEvent[], next: Step): Step | undefined {
  for (const event of events) reader.watch.saw(event);
  reader.mate?.saw(events);
  return handOut(reader, take(reader, events), next);
}

/**
 * Hands out items. The reader continues with `next` when the next batch is fetched; at once without items.
 */
function handOut(reader: Reader, items: readonly SessionEvent[], next: Step): Step | undefined {
  if (items.length === 0) return next;
  reader.next = next;
  reader.to.batch(items);
  return undefined;
}

/** Hands out text and progress that are not stored yet. Looks again first if further events were stored. */
// Stored events come before live ones, so that a tool's progress follows its start.
function showLive(reader: Reader): Step | undefined {
  const { live, seq } = reader.source.tail.peek(reader.sessionId);
  const isBehind = reader.cursor > reader.begun && Math.max(seq, reader.watch.seq) > reader.cursor;
  if (isBehind || isDone(reader)) return readStored;
  if (!reader.hasCaughtUp) {
    // Live text is read in the next turn of the event loop, so that the text of one packet is one delta.
    reader.hasCaughtUp = true;
    reader.bell.ring();
    return waitForRing;
  }
  if (!mayAdopt(live, reader.afterSeq, reader.seen)) return showNews(reader, live);
  const { source, sessionId, afterSeq, seen } = reader;
  adoptAttempt(source.store, sessionId, afterSeq, live, seen).then(
    () => runSteps(reader, () => showNews(reader, live)),
    (error: unknown) => void finish(reader, { error }),
  );
  return undefined;
}

/** Hands out the live events that the reader has not been shown, also text of sub-agents. */
function showNews(reader: Reader, live: LiveState | undefined): Step | undefined {
  const news: LiveEvent[] = [];
  if (live !== undefined) addLiveEvents(news, live, reader.seen, reader.afterSeq);
  if (live !== undefined && live.agents.size > 0)
    reader.below ??= agentsBelow(reader.source.tail, reader.bell.ring);
  reader.below?.addNews(news, live);
  return handOut(reader, news, waitForRing);
}

/** Waits for a ring, and then looks for events. Throws if `failure` has aborted: no more events can come. */
function waitForRing(reader: Reader): undefined {
  reader.failure?.throwIfAborted();
  reader.bell.wait(() => runSteps(reader, readStored));
}

/**
 * Returns whether a reader should end: it was aborted, the process is shutting down, or the awaited run has
 * settled. `awaited` is then `undefined`; it is `false` for a reader that awaits no run.
 */
function isDone({ signal, source, awaited }: Reader): boolean {
  return signal?.aborted === true || source.over.isOn || awaited === undefined;
}

/**
 * Ends a reader. If the process is shutting down, first hands out the events that the tail still has, e.g.
 * the end of a run. Does not read the store, which may be closed by now.
 */
function end(reader: Reader): Step | undefined {
  const { signal, source, sessionId, cursor } = reader;
  if (!source.over.isOn || signal?.aborted === true) return endNow;
  return handOut(reader, take(reader, recentAfter(source.tail, sessionId, cursor)), endNow);
}

/** Ends a reader, with the error `draining` if the process is shutting down before the reader should end. */
function endNow(reader: Reader): undefined {
  if (reader.awaited !== undefined && reader.signal?.aborted !== true) throwIfDraining(reader.source.over);
  void finish(reader);
}

/** Closes a reader, and then reports its end or failure. */
async function finish(reader: Reader, readerFailure?: { error: unknown }): Promise<void> {
  const closing = close(reader);
  let failure = readerFailure;
  if (closing !== undefined)
    await closing.catch((error: unknown) => {
      failure ??= { error };
    });
  if (failure === undefined) reader.to.end();
  else reader.to.fail(failure.error);
}

/** Frees what a reader holds. Resolves once its read of the store has ended, if there is one. */
export function close(reader: Reader): Promise<void> | undefined {
  const { source, sessionId, mate, below, signal, failure, bell, reading } = reader;
  mate?.close();
  below?.close();
  source.watches.leave(sessionId, bell.ring);
  source.over.offChange(bell.ring);
  signal?.removeEventListener("abort", bell.ring);
  failure?.removeEventListener("abort", bell.ring);
  reader.reading = undefined;
  return reading?.return(undefined).then(() => undefined);
}

/** @throws PawlError `draining` once this process has stopped serving. */
export function throwIfDraining({ isOn }: Switch): void {
  if (!isOn) return;
  const message = "This process is shutting down. Connect again to continue in another one.";
  throw new PawlError("draining", message);
}

/** Returns whether a reader that connected mid-answer may have to be shown the attempt in progress. */
export function mayAdopt(
  live: LiveState | undefined,
  afterSeq: number,
  seen: ReaderState,
): live is LiveState {
  if (live === undefined || seen.attempt !== undefined) return false;
  const { attempt } = live;
  return attempt !== seen.over && attempt !== 0 && attempt <= afterSeq;
}

/**
 * Shows the attempt in progress to a reader that connects mid-answer. First checks in the log that the
 * attempt did not end before the reader's cursor: the live state may have come from a dead process.
 */
export async function adoptAttempt(
  store: EventStore,
  sessionId: string,
  afterSeq: number,
  { attempt }: LiveState,
  seen: ReaderState,
): Promise<void> {
  // At most one event: the first one that ended the attempt.
  for await (const event of store.read(sessionId, { afterSeq: attempt, types: ENDS_ATTEMPT, limit: 1 })) {
    if (event.seq > afterSeq) break;
    seen.over = attempt;
    return;
  }
  seen.attempt = attempt;
}
