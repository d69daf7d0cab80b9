import { formatCursor } from "@pawl/core/view";
import { type Conversation, failureOf, isOver, take, update, updateView } from "../state/conversation.ts";
import { Gap, standingAt } from "../state/standing.ts";
import { backoffMs, pause } from "../wire/backoff.ts";
import { readEvents } from "../wire/read-events.ts";
import { isTemporary, Refused } from "../wire/wire.ts";

/** A connection that lasted this long was a good one: the next failure is the first again. */
const GOOD_MS = 5_000;

/** Makes a reader that ends with the conversation. It becomes the one reader by {@link lead}. */
export function newReader(talk: Conversation): { control: AbortController; signal: AbortSignal } {
  const control = new AbortController();
  return { control, signal: AbortSignal.any([talk.life.signal, control.signal]) };
}

/** Puts a reader in the place of the one before. */
export function lead(talk: Conversation, reader: AbortController): void {
  talk.reader.abort();
  talk.reader = reader;
}

/** Reads on from the cursor, in place of whoever read before. */
export function watchAgain(talk: Conversation): void {
  const { control, signal } = newReader(talk);
  lead(talk, control);
  void watch(talk, signal);
}

/**
 * Reads the run that a message or an answer has brought about, and then whatever else happens. A stream that
 * ends before the run does was cut off: nothing is believed of it but the events that came.
 */
export async function readRun(talk: Conversation, response: Response, signal: AbortSignal): Promise<void> {
  const isWhole = await takeAll(talk, response, signal, 0).catch(() => false);
  await watch(talk, signal, isWhole ? 0 : 1);
}

/**
 * Follows the session until the signal fires or the server does not know us any more, over any number of
 * connections.
 */
async function watch(talk: Conversation, signal: AbortSignal, failuresBefore = 0): Promise<void> {
  let hasGap = false;
  for (let failures = failuresBefore; !signal.aborted; failures += 1) {
    if (failures > 0) {
      update(talk, { connection: "reconnecting" });
      await pause(backoffMs(failures), signal);
      if (signal.aborted) return;
    } else if (talk.facts.connection === "offline") {
      update(talk, { connection: "connecting" });
    }
    const before = { standing: talk.standing, at: Date.now() };
    try {
      await readSession(talk, signal, hasGap);
      hasGap = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) return giveUp(talk, error);
      hasGap = error instanceof Gap;
    }
    const wasGood = talk.standing !== before.standing || Date.now() - before.at > GOOD_MS;
    if (wasGood) failures = 0;
  }
}

/**
 * One connection: the session as it is, if we do not have it, and then what comes after it. With `whole`, an
 * answer that is being written is asked for from its beginning: what we said of where we are has not helped.
 */
async function readSession(talk: Conversation, signal: AbortSignal, whole: boolean): Promise<void> {
  const { sessionId } = talk.facts;
  // Neither the headers nor an event have said which one it is: there is nothing to come back to.
  if (sessionId === undefined) throw new Refused(0, "network", "The answer broke off before it began.");
  if (!talk.loaded) {
    const view = await talk.wire.snapshot(sessionId, signal);
    signal.throwIfAborted();
    talk.loaded = true;
    talk.standing = standingAt(view.cursor);
    updateView(talk, view, "now");
  }
  const { place } = talk.standing;
  const from = whole ? { afterSeq: place.afterSeq } : place;
  const response = await talk.wire.stream(sessionId, formatCursor(from), signal);
  signal.throwIfAborted();
  update(talk, { connection: "open" });
  await takeAll(talk, response, signal, place.afterSeq);
}

/**
 * Takes the events of one response, which come after `position`. Resolves to whether the last one was the end
 * of a run. What a stream that lags behind the view says about an answer in progress is of yesterday, and
 * passed over.
 */
async function takeAll(
  talk: Conversation,
  response: Response,
  signal: AbortSignal,
  position: number,
): Promise<boolean> {
  let reached = position;
  let isWhole = false;
  for await (const event of readEvents(response, talk.silenceMs)) {
    if (signal.aborted) return false;
    if ("seq" in event) reached = event.seq;
    if (reached >= talk.facts.view.cursor) take(talk, event);
    isWhole = isOver(event);
  }
  return isWhole;
}

function giveUp(talk: Conversation, error: unknown): void {
  const { sending } = talk.facts;
  update(talk, {
    connection: "offline",
    sending: undefined,
    answering: new Set(),
    error: { ...failureOf(error), ...(sending !== undefined && { text: sending.text }) },
  });
}
