import { BatchIterator, type BatchReceiver, type Supply } from "../base/handed-out.ts";
import type { AwaitedRun } from "../log/handover.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import { redactedSince } from "../log/store/redacted.ts";
import { type Cursor, newReader } from "./cursor.ts";
import { Doorbell } from "./doorbell.ts";
import type { Reader, ReaderCompanion, Source } from "./reader.ts";
import { close, readStored, runSteps, throwIfDraining } from "./steps.ts";

/**
 * The options of a reader: where it starts and when it ends. Text before the position `live` is not sent
 * again.
 */
export interface FollowOptions extends Partial<Cursor> {
  signal?: AbortSignal;
  /**
   * Ends after the next `run_suspended` or `run_ended`. If a run is given, ends after such an event of that
   * run, or of the run to which it hands over. Default: false; the reader never ends by itself.
   */
  untilIdle?: boolean | AwaitedRun;
}

/**
 * Yields a session's stored events after a cursor, with live events between them.
 *
 * @throws PawlError `draining` when this process stops serving. The reader can continue from its cursor in
 * another process.
 */
export function follow(
  source: Source,
  sessionId: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, undefined> {
  return followFrom(source, { ...options, sessionId });
}

interface FollowFrom extends FollowOptions {
  /** Creates a companion of the reader when the reader opens. */
  companion?: () => Promise<ReaderCompanion>;
  sessionId: string;
  /**
   * Aborted with an error if no further events can come. The reader gets all stored events, and then this
   * error.
   */
  failure?: AbortSignal;
  /** Yields the rest of each answer's text as deltas before its `assistant_message`. Default: false. */
  wholeText?: boolean;
}

/** The options of a reader. A promise of them is for a reader that starts before its cursor is known. */
type From = Promise<Omit<FollowFrom, "signal">> | FollowFrom;

/** Works like {@link follow}, but also accepts its options as a promise. */
export function followFrom(source: Source, from: From): AsyncGenerator<SessionEvent, void, undefined> {
  return new BatchIterator(new SessionReader(source, from), source.reads);
}

/** Yields the text of answers as it arrives. A blank line separates the texts of different attempts. */
export function textFrom(source: Source, from: From): AsyncGenerator<string, void, undefined> {
  return new BatchIterator(textsOf(new SessionReader(source, from)), source.reads);
}

/**
 * Calls `onEvent` for every event. Calls it for all events of a batch in the same tick. Resolves when the
 * reader ends, and rejects where {@link followFrom} throws.
 */
// Not `for await`, which takes microtasks for each event: readers that started later would get ahead.
export async function listenFrom(
  source: Source,
  from: From,
  onEvent: (event: SessionEvent) => void,
): Promise<void> {
  const events = new SessionReader(source, from);
  // Hands out no items, so that one call of `next()` lasts until the reader's end.
  const nothing: Supply<never> = {
    fetch(to) {
      const taker: BatchReceiver<SessionEvent> = {
        batch(items) {
          items.forEach(onEvent);
          events.fetch(taker);
        },
        end: () => to.end(),
        fail: (error) => to.fail(error),
      };
      events.fetch(taker);
    },
    isOver: () => events.isOver(),
    close: () => events.close(),
  };
  await new BatchIterator(nothing, source.reads).next();
}

/** Supplies the events of a session in batches. Opens its reader when the first batch is fetched. */
class SessionReader implements Supply<SessionEvent> {
  readonly #source: Source;
  readonly #signal: AbortSignal | undefined;
  /** The options of the reader, until it is open or closed. */
  #from: From | undefined;
  #reader: Reader | undefined;

  constructor(source: Source, from: From) {
    this.#source = source;
    this.#from = from;
    this.#signal = "signal" in from ? from.signal : undefined;
  }

  fetch(to: BatchReceiver<SessionEvent>): void {
    const reader = this.#reader;
    if (reader !== undefined) {
      reader.to = to;
      runSteps(reader, reader.next);
    } else if (this.#from === undefined || this.isOver()) to.end();
    else void this.#open(this.#from, to);
  }

  isOver(): boolean {
    return this.#signal?.aborted === true;
  }

  close(): Promise<void> | undefined {
    this.#from = undefined;
    return this.#reader && close(this.#reader);
  }

  async #open(from: From, to: BatchReceiver<SessionEvent>): Promise<void> {
    try {
      this.#reader = await openReader(this.#source, await from, to);
      this.#from = undefined;
    } catch (error) {
      return to.fail(error);
    }
    runSteps(this.#reader, readStored);
  }
}

async function openReader(
  source: Source,
  from: FollowFrom,
  to: BatchReceiver<SessionEvent>,
): Promise<Reader> {
  const { sessionId, afterSeq = 0, live, signal, failure, companion, wholeText = false } = from;
  throwIfDraining(source.over);
  const redacted = await redactedSince(source.store, sessionId, afterSeq);
  const mate = companion && (await companion());
  const bell = new Doorbell();
  signal?.addEventListener("abort", bell.ring);
  failure?.addEventListener("abort", bell.ring);
  source.over.onChange(bell.ring);
  return {
    source,
    sessionId,
    afterSeq,
    wholeText,
    hidden: redacted.size > 0 ? redacted : NONE_HIDDEN,
    signal,
    failure,
    bell,
    watch: source.watches.join(sessionId, afterSeq, bell.ring),
    mate,
    cursor: afterSeq,
    begun: afterSeq,
    seen: newReader(live),
    awaited: from.untilIdle ?? false,
    looks: undefined,
    hasCaughtUp: false,
    reading: undefined,
    below: undefined,
    to,
    next: readStored,
  };
}

const NONE_HIDDEN: ReadonlySet<number> = new Set();

/** Converts a supply of events to a supply of text: see {@link textFrom}. */
export function textsOf(events: Supply<SessionEvent>): Supply<string> {
  /** The attempt of the last text; `undefined` before the first text, 0 after a restart of the attempt. */
  let lastAttempt: number | undefined;
  const add = (texts: string[], event: SessionEvent) => {
    // The text is void. It may come again under the same attempt, e.g. if a hook has changed the answer.
    if (event.type === "attempt_restarted" && lastAttempt !== undefined) lastAttempt = 0;
    if (event.type !== "text_delta") return;
    const { attempt, text } = event.data;
    texts.push(lastAttempt === undefined || lastAttempt === attempt ? text : `\n\n${text}`);
    lastAttempt = attempt;
  };
  return {
    fetch(to) {
      const taker: BatchReceiver<SessionEvent> = {
        batch(items) {
          const texts: string[] = [];
          for (const event of items) add(texts, event);
          if (texts.length > 0) to.batch(texts);
          else events.fetch(taker);
        },
        end: () => to.end(),
        fail: (error) => to.fail(error),
      };
      events.fetch(taker);
    },
    isOver: () => events.isOver(),
    close: () => events.close(),
  };
}
