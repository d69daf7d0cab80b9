import type { Taker } from "../base/handed-out.ts";
import type { Switch } from "../base/switch.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import { type AwaitedRun, stillAwaited } from "../log/handover.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { Delta, LiveEvent, SessionEvent } from "../log/store/live-event.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import { redactedEvent } from "../log/store/redacted.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { endsAttempt, type ReaderState, readerAfter } from "./cursor.ts";
import type { Doorbell } from "./doorbell.ts";
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

type Shown = Parameters<NonNullable<ReaderState["shown"]>["set"]>[1];

/**
 * Yields the text and thinking of a stored answer that a reader has not been shown, as deltas. If an answer's
 * last words and its end arrive in one packet, the answer is stored before any reader sees those words. If a
 * hook has changed what was shown, that text becomes void and the whole answer is sent.
 */
// Blocks are matched by kind and order, not by index: thinking without a signature is not stored, so
// positions in the stored answer can differ from those in the reply.
export function* restOfAnswer(
  { data: { content: whole, attempt, disposition, output } }: StoredOf<"assistant_message">,
  seen: ReaderState,
): Generator<LiveEvent> {
  if (disposition === "discarded") return;
  // Left out because the event `output`, which follows, has the whole output.
  const content = output === "text" ? whole.filter((block) => !isText(block)) : whole;
  const shown = seen.attempt === attempt ? [...(seen.shown?.values() ?? [])] : [];
  if (shown.length > 0 && isChanged(content, shown, seen)) {
    yield { type: "attempt_restarted", data: { attempt } };
    shown.length = 0;
  }
  let last = -1;
  for (const [position, block] of content.entries()) {
    const { type, text } = textIn(block);
    if (text === "") continue;
    const at = shown.findIndex((part) => part.type === type);
    const [part] = at < 0 ? [] : shown.splice(at, 1);
    const { index, chars } = part ?? { index: Math.max(position, last + 1), chars: 0 };
    last = index;
    const data: Delta = { attempt, index, offset: chars, text: text.slice(chars) };
    if (data.text !== "") yield { type, data };
  }
}

function textIn(block: ContentBlock): { type: "text_delta" | "thinking_delta"; text: string } {
  if (isText(block)) return { type: "text_delta", text: block.text };
  const { type, thinking } = block as { type: string; thinking?: string };
  return { type: "thinking_delta", text: type === "thinking" ? (thinking ?? "") : "" };
}

/** Returns whether the text that a reader was shown is not the beginning of the stored text. */
function isChanged(content: readonly ContentBlock[], shown: readonly Shown[], { parts = [] }: ReaderState) {
  const stored = content.filter(isText).filter(({ text }) => text !== "");
  const texts = shown.filter(({ type }) => type === "text_delta");
  return texts.some(({ index, chars }, at) => {
    const written = parts.find((part) => part.index === index)?.pieces.join("");
    const start = (text = "") => text.slice(0, chars).toWellFormed();
    return written !== undefined && start(written) !== start(stored[at]?.text);
  });
}

/**
 * Adds an event to `shown`, with the live events that follow from it: the end of the previous turn, text that
 * became void, and a tool's status. A redacted event is shown without its content.
 */
export function addAround(
  shown: SessionEvent[],
  event: StoredEvent,
  seen: ReaderState,
  hidden: ReadonlySet<number>,
): void {
  const isVoid = endsAttempt(event) && event.type !== "assistant_message";
  if (isVoid && seen.attempt !== undefined && seen.chars > 0) {
    shown.push({ type: "attempt_restarted", data: { attempt: seen.attempt } });
  }
  if (event.type === "llm_request" && event.data.turn > 1 && isFirst(event)) {
    shown.push({ type: "turn_ended", data: { turn: event.data.turn - 1 } });
  }
  shown.push(hidden.has(event.seq) ? redactedEvent(event) : event);
  if (event.type === "tool_started" || event.type === "tool_result") shown.push(statusOf(event));
}

/** Returns whether this is the first request of its turn. If so, the previous turn has ended. */
function isFirst({ data: { retry_of, again } }: StoredOf<"llm_request">): boolean {
  return retry_of === undefined && again === undefined;
}

function statusOf(event: StoredOf<"tool_started" | "tool_result">): LiveEvent {
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
  return {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}
