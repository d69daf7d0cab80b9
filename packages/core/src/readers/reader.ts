import type { Taker } from "../base/handed-out.ts";
import type { Switch } from "../base/switch.ts";
import type { StoredEvent } from "../log/event.ts";
import { type AwaitedRun, stillAwaited } from "../log/handover.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { SessionEvent } from "../log/store/live-event.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import { addAround } from "./around.ts";
import { type ReaderState, readerAfter } from "./cursor.ts";
import type { Doorbell } from "./doorbell.ts";
import { restOfAnswer } from "./rest-of-answer.ts";
import type { SessionWatch, SessionWatches } from "./session-watch.ts";
import type { AgentsBelow } from "./sub-agent-text.ts";

/** The parts of a runtime that readers use. */
export interface Source {
  store: EventStore;
  tail: LiveTail;
  /** State shared with the session's other readers in this process. */
  watches: SessionWatches;
  /** A switch that is turned on when this process stops serving readers. */
  over: Switch;
  /** Reads in progress. */
  reads: Set<Promise<unknown>>;
}

/** Accompanies a reader from its first read to its end. */
export interface ReaderCompanion {
  /** Called with stored events that the reader has read. */
  saw(events: readonly StoredEvent[]): void;
  close(): void;
}

/** What a reader does next; `undefined` if it waits or has handed out a batch. */
export type Step = (reader: Reader) => Step | undefined;

/**
 * A reader: its position, what it holds, and what it does next. `awaited` becomes `undefined` when the reader
 * should end.
 */
// A reader is only a cursor: it takes stored events from the store and live text from its position. So a slow
// reader gets fewer, longer deltas, uses no memory and delays nobody.
export interface Reader {
  readonly source: Source;
  readonly sessionId: string;
  /** Where the reader started. */
  readonly afterSeq: number;
  readonly wholeText: boolean;
  /** The `seq`s of redacted events. */
  readonly hidden: ReadonlySet<number>;
  readonly signal: AbortSignal | undefined;
  readonly failure: AbortSignal | undefined;
  readonly bell: Doorbell;
  readonly mate: ReaderCompanion | undefined;
  readonly watch: SessionWatch;
  cursor: number;
  /** The cursor before the stored events that are being read. */
  begun: number;
  readonly seen: ReaderState;
  awaited: boolean | AwaitedRun | undefined;
  /** The number of due polls that the reader has made; `undefined` before its first read. */
  looks: number | undefined;
  /** Whether the reader has come to the end of the stored events once. */
  hasCaughtUp: boolean;
  /** The read of the store in progress. */
  reading: AsyncGenerator<readonly StoredEvent[]> | undefined;
  below: AgentsBelow | undefined;
  /** Who gets the next batch. */
  to: Taker<SessionEvent>;
  /** What the reader does when the next batch is fetched. */
  next: Step;
}

/** Moves a reader over stored events, until it should end, and returns the events that it is shown. */
export function take(reader: Reader, events: readonly StoredEvent[]): SessionEvent[] {
  const { hidden } = reader;
  const shown: SessionEvent[] = [];
  for (const event of events) {
    if (reader.awaited === undefined) break;
    reader.cursor = event.seq;
    if (reader.wholeText && event.type === "assistant_message" && !hidden.has(event.seq)) {
      shown.push(...restOfAnswer(event, reader.seen));
    }
    addAround(shown, event, reader.seen, hidden);
    readerAfter(event, reader.seen);
    reader.awaited = stillAwaited(reader.awaited, event);
  }
  return shown;
}
