import { formatCursor } from "@pawl/core/view";
import { type Conversation, failureOf, isOver, take, update, updateView } from "../state/conversation.ts";
import { Gap, standingAt } from "../state/standing.ts";
import { pause, retryMs } from "../wire/backoff.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import { readEvents } from "../wire/read-events.ts";
import { isTemporary, Refused } from "../wire/request.ts";

/**
 * A connection that has lasted this long, in milliseconds, counts as good: the wait after its next failure is
 * the shortest one again.
 */
const GOOD_MS = 5_000;

/** How long a page that may have to wait for its stream is shown as connecting. */
const WAITS_MS = 100;

/** How often a session that was readable may be refused with 401: the page may get a new token meanwhile. */
const MOST_REFUSALS = 7;

/** Creates a reader that ends with the conversation. Call {@link lead} to make it the active one. */
export function newReader(talk: Conversation): { control: AbortController; signal: AbortSignal } {
  const control = new AbortController();
  return { control, signal: eitherSignal(talk.life.signal, control.signal) };
}

/** Makes a reader the active one, and aborts the previous one. */
export function lead(talk: Conversation, reader: AbortController): void {
  talk.reader.abort();
  talk.reader = reader;
}

/** Continues reading after the cursor with a new reader. Aborts the previous one. */
export function watchAgain(talk: Conversation): void {
  const { control, signal } = newReader(talk);
  lead(talk, control);
  void watch(talk, signal);
}

/**
 * Reads the run that a message or an answer started, and then follows the session. If the stream ends before
 * the run has settled, reading resumes after the last event.
 */
export async function readRun(talk: Conversation, response: Response, signal: AbortSignal): Promise<void> {
  const isWhole = await takeAll(talk, response, signal, 0).catch(() => false);
  await watch(talk, signal, isWhole ? 0 : 1);
}

/**
 * Follows the session and reconnects as needed, until the signal aborts or the server refuses in a way that a
 * retry cannot change.
 */
async function watch(talk: Conversation, signal: AbortSignal, failuresBefore = 0): Promise<void> {
  let failed: unknown;
  for (let failures = failuresBefore; !signal.aborted; failures += 1) {
    if (failures > 0) {
      update(talk, { connection: "reconnecting" });
      await pause(retryMs(failures, failed), signal);
      if (signal.aborted) return;
    } else if (talk.facts.connection === "offline") {
      update(talk, { connection: "connecting" });
    }
    const before = { standing: talk.standing, at: Date.now() };
    const stream: { place?: AbortSignal } = {};
    failed = await readSession(talk, signal, failed instanceof Gap, stream).catch((error: unknown) =>
      stream.place?.aborted ? undefined : error,
    );
    if (signal.aborted) return;
    if (failed !== undefined && !mayTryAgain(talk, failed, failures)) return giveUp(talk, failed);
    const isLong = Date.now() - before.at > GOOD_MS;
    // A server ends a long stream now and then, to authorize its client again.
    if (stream.place?.aborted || (isLong && failed === undefined)) failures = -1;
    else if (isLong || talk.standing !== before.standing) failures = 0;
  }
}

/** Returns whether a request may succeed later. A session that was readable may get a new token. */
function mayTryAgain({ loaded }: Conversation, error: unknown, failures: number): boolean {
  return isTemporary(error) || (loaded && failures < MOST_REFUSALS && Object(error).status === 401);
}

/**
 * Reads over one connection: the session's last messages if it is not loaded, and then the events after it.
 * With `whole`, an answer in progress is requested from its beginning, because resuming in the middle has
 * left a gap. `stream` gets the signal that closes the stream of an idle page.
 */
async function readSession(
  talk: Conversation,
  life: AbortSignal,
  whole: boolean,
  stream: { place?: AbortSignal },
): Promise<void> {
  let signal = life;
  const { sessionId } = talk.facts;
  // The response had no header with the session's id and no events, so there is nothing to resume.
  if (sessionId === undefined)
    throw new Refused(0, "network", "The connection broke off before the answer began. Please try again.");
  if (!talk.loaded) {
    const { before, ...view } = await talk.wire.snapshot(sessionId, signal, talk.pageSize);
    signal.throwIfAborted();
    talk.loaded = true;
    talk.facts = { ...talk.facts, before };
    talk.standing = standingAt(view.cursor);
    updateView(talk, view, "now");
  }
  if (talk.place) {
    // A page that waits is not connecting: the server was reachable, and the page is up to date.
    const timer = setTimeout(() => update(talk, { connection: "open" }), WAITS_MS);
    stream.place = await talk.place(talk, life);
    clearTimeout(timer);
    signal = eitherSignal(life, stream.place);
    signal.throwIfAborted();
  }
  const { place } = talk.standing;
  const from = whole ? { afterSeq: place.afterSeq } : place;
  const response = await talk.wire.stream(sessionId, formatCursor(from), signal);
  signal.throwIfAborted();
  update(talk, { connection: "open" });
  await takeAll(talk, response, signal, place.afterSeq);
}

/**
 * Applies the events of a response, which begin after event number `position`. Resolves to whether the last
 * event settled the run. Ignores live events until the stream has reached the view's cursor, because they are
 * old.
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
