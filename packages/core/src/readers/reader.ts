import type { BatchReceiver } from "../base/handed-out.ts";
import type { Switch } from "../base/switch.ts";
import type { StoredEvent, StoredOf } from "../log/event.ts";
import { resultPhase } from "../log/event-parts.ts";
import { type AwaitedRun, stillAwaited } from "../log/handover.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { Delta, LiveEvent, SessionEvent } from "../log/store/live-event.ts";
import type { LiveTail } from "../log/store/live-tail.ts";
import { redactedEvent } from "../log/store/redacted.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import { endsAttempt, type ReaderState, readerAfter } from "./cursor.ts";
import type { Doorbell } from "./doorbell.ts";
import { lastReports } from "./reports.ts";
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
  /** The promises of the readers' reads in progress. */
  reads: Set<Promise<unknown>>;
}

/** An object that follows a reader from its first read to its end. */
export interface ReaderCompanion {
  /** Called with stored events that the reader has read. */
  saw(events: readonly StoredEvent[]): void;
  /** Called when the reader ends. */
  close(): void;
}

/**
 * A step of a reader's work. Returns the next step, or `undefined` if the reader waits or has handed out a
 * batch.
 */
export type Step = (reader: Reader) => Step | undefined;

/**
 * The state of a reader: its options, its position, its resources and its next step.
 */
// A reader has no queue of events. It takes stored events after its cursor from the store, and live text from
// its position. So a slow reader gets fewer, longer deltas, needs no more memory, and delays no other reader.
export interface Reader {
  readonly source: Source;
  readonly sessionId: string;
  /** Where the reader started. */
  readonly afterSeq: number;
  /** Whether to show the rest of an answer's text as deltas before its `assistant_message`. */
  readonly wholeText: boolean;
  /** The `seq`s of redacted events. */
  readonly hidden: ReadonlySet<number>;
  /** Ends the reader when it aborts. */
  readonly signal: AbortSignal | undefined;
  /** Fails the reader with the abort reason, after it has read all stored events. */
  readonly failure: AbortSignal | undefined;
  readonly bell: Doorbell;
  /** The reader's companion, if it has one. */
  readonly mate: ReaderCompanion | undefined;
  readonly watch: SessionWatch;
  /** `seq` of the last stored event that was taken. */
  cursor: number;
  /** The cursor before the stored events that are being read. */
  begun: number;
  readonly seen: ReaderState;
  /**
   * The settling of a run that the reader waits for, see `stillAwaited()`. `undefined`: the reader should
   * end.
   */
  awaited: boolean | AwaitedRun | undefined;
  /** The number of due polls that the reader has made; `undefined` before its first read. */
  looks: number | undefined;
  /** Whether the reader has come to the end of the stored events once. */
  hasCaughtUp: boolean;
  /** The read of the store in progress. */
  reading: AsyncGenerator<readonly StoredEvent[]> | undefined;
  /** Shows the text of sub-agents; `undefined` before there is a sub-agent. */
  below: AgentsBelow | undefined;
  /** Receives the next batch. */
  to: BatchReceiver<SessionEvent>;
  /** The step with which the reader continues when the next batch is fetched. */
  next: Step;
}

/**
 * Moves a reader's cursor over stored events, and returns the events to show for them. Stops after the event
 * at which the reader should end.
 */
export function take(reader: Reader, events: readonly StoredEvent[]): SessionEvent[] {
  const { hidden } = reader;
  const shown: SessionEvent[] = [];
  for (const event of events) {
    if (reader.awaited === undefined) break;
    reader.cursor = event.seq;
    if (reader.wholeText && event.type === "assistant_message" && !hidden.has(event.seq)) {
      shown.push(...restOfAnswer(event, reader.seen));
    }
    if (event.type === "tool_result" && reader.hasCaughtUp && !hidden.has(event.seq))
      shown.push(...lastReports(reader.source.tail.peek(reader.sessionId).live, reader.seen, event));
    addAround(shown, event, reader.seen, hidden);
    readerAfter(event, reader.seen);
    reader.awaited = stillAwaited(reader.awaited, event);
  }
  return shown;
}

/** What a reader was shown of one block. */
type Shown = Parameters<NonNullable<ReaderState["shown"]>["set"]>[1];

/**
 * Yields as deltas the text and thinking of a stored answer that a reader has not been shown. This is needed
 * if the answer's last words and its end arrive in one packet: the answer is stored before any reader sees
 * those words. If a hook has changed text that was shown, yields `attempt_restarted` and then the whole
 * answer.
 */
// Matches the stored blocks with those shown by kind and order, not by index. Thinking without a signature is
// not stored, so a block's index in the stored answer can differ from its index in the model's answer.
export function* restOfAnswer(
  { data: { content: wholeContent, attempt, disposition, output } }: StoredOf<"assistant_message">,
  seen: ReaderState,
): Generator<LiveEvent> {
  if (disposition === "discarded") return;
  // Output as text is left out, because the event `output` follows and has all of it.
  const content = output === "text" ? wholeContent.filter((block) => !isText(block)) : wholeContent;
  const shown = seen.attempt === attempt ? [...(seen.shown?.values() ?? [])] : [];
  if (shown.length > 0 && isChanged(content, shown, seen)) {
    yield { type: "attempt_restarted", data: { attempt } };
    shown.length = 0;
  }
  /** The index of the last block. The indexes of deltas must rise. */
  let lastIndex = -1;
  for (const [position, block] of content.entries()) {
    const { type, text } = textIn(block);
    if (text === "") continue;
    const match = shown.findIndex((part) => part.type === type);
    const [part] = match < 0 ? [] : shown.splice(match, 1);
    const { index, chars } = part ?? { index: Math.max(position, lastIndex + 1), chars: 0 };
    lastIndex = index;
    const data: Delta = { attempt, index, offset: chars, text: text.slice(chars) };
    if (data.text !== "") yield { type, data };
  }
}

/** Returns the text of a block, and the type of its deltas. The text is empty for other kinds of blocks. */
function textIn(block: ContentBlock): { type: "text_delta" | "thinking_delta"; text: string } {
  if (isText(block)) return { type: "text_delta", text: block.text };
  const { type, thinking } = block as { type: string; thinking?: string };
  return { type: "thinking_delta", text: type === "thinking" ? (thinking ?? "") : "" };
}

/** Returns whether the text blocks that a reader was shown differ from the beginnings of the stored ones. */
function isChanged(content: readonly ContentBlock[], shown: readonly Shown[], { parts = [] }: ReaderState) {
  const stored = content.filter(isText).filter(({ text }) => text !== "");
  const texts = shown.filter(({ type }) => type === "text_delta");
  return texts.some(({ index, chars }, order) => {
    const written = parts.find((part) => part.index === index)?.pieces.join("");
    const start = (text = "") => text.slice(0, chars).toWellFormed();
    return written !== undefined && start(written) !== start(stored[order]?.text);
  });
}

/**
 * Adds a stored event to `shown`, with the live events that belong to it: the end of the previous turn, the
 * notice that text became void, and a tool's status. A redacted event is added without its content.
 */
export function addAround(
  shown: SessionEvent[],
  event: StoredEvent,
  seen: ReaderState,
  hidden: ReadonlySet<number>,
): void {
  const makesTextVoid = endsAttempt(event) && event.type !== "assistant_message";
  if (makesTextVoid && seen.attempt !== undefined && seen.chars > 0) {
    shown.push({ type: "attempt_restarted", data: { attempt: seen.attempt } });
  }
  if (event.type === "llm_request" && event.data.turn > 1 && isFirstOfTurn(event)) {
    shown.push({ type: "turn_ended", data: { turn: event.data.turn - 1 } });
  }
  shown.push(hidden.has(event.seq) ? redactedEvent(event) : event);
  if (event.type === "tool_started" || event.type === "tool_result") shown.push(statusOf(event));
}

/** Returns whether this is the first request of its turn. If so, the previous turn has ended. */
function isFirstOfTurn({ data: { retry_of, again } }: StoredOf<"llm_request">): boolean {
  return retry_of === undefined && again === undefined;
}

/** Returns the live event that shows that a call has started or ended. */
function statusOf(event: StoredOf<"tool_started" | "tool_result">): LiveEvent {
  const { call_id, tool_name, status } = event.data;
  const phase = event.type === "tool_started" ? "start" : resultPhase(event.data);
  return {
    type: "tool_status",
    data: { call_id, tool_name, phase, ...(status !== undefined && { message: status }) },
  };
}
