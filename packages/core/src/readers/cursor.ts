import type { StoredEvent } from "../log/event.ts";
import type { Delta, LiveEvent, SessionEvent } from "../log/store/live-event.ts";
import type { LiveState } from "../log/store/live-tail.ts";
import type { LivePart } from "../model/live-part.ts";
import { addReports, type ReportsSeen } from "./reports.ts";

/** How much of the live state, i.e. of the text and progress not stored yet, a reader has been shown. */
export interface ReaderState extends ReportsSeen {
  /**
   * `seq` of the attempt whose text the reader is shown. 0: no attempt is in progress. `undefined`: not known
   * from the events read so far.
   */
  attempt: number | undefined;
  /**
   * How many characters of the attempt the reader has, over all blocks. Blocks are written one after the
   * other, so this number is a position.
   */
  chars: number;
  /** `seq` of an attempt of the live state that, by the log, ended before this reader started; 0 if none. */
  over: number;
  /** The parts of the live state from which `taken` was read: another list belongs to another live state. */
  parts: readonly LivePart[] | undefined;
  /** How many pieces and characters of each of these parts were read, by the index of its block. */
  taken: Map<number, { pieces: number; chars: number }> | undefined;
  /**
   * The kind of each block of which the reader was shown text, and how many characters of it the reader has.
   * By index, in the order of the blocks. `undefined` if none was shown, as for most idle readers.
   */
  shown: Map<number, { type: DeltaType; index: number; chars: number }> | undefined;
  /**
   * How many characters at the beginning of `parts` the reader already has, from its cursor or from an
   * earlier live state.
   */
  skip: number;
}

/** Returns the state of a new reader, which already has the text before the position `live`. */
export function newReader(live: LiveCursor | undefined): ReaderState {
  return {
    attempt: live?.attempt,
    chars: live?.chars ?? 0,
    over: 0,
    parts: undefined,
    taken: undefined,
    shown: undefined,
    skip: 0,
    reports: undefined,
    version: 0,
    settled: undefined,
  };
}

/** The types of events that end the attempt in progress. */
export const ENDS_ATTEMPT = [
  "llm_request",
  "assistant_message",
  "run_recovered",
  // An attempt that is still in progress then has failed, and the run waits before the next one.
  "run_suspended",
  "run_ended",
] as const;

/**
 * Returns whether an event ends the attempt in progress. The attempt's text is then either stored or void.
 */
export function endsAttempt({ type }: { type: string }): boolean {
  return ENDS_ATTEMPT.some((one) => one === type);
}

/** Updates a reader's state after it has read a stored event. An `llm_request` starts another attempt. */
export function readerAfter(event: StoredEvent, seen: ReaderState): void {
  if (event.type === "tool_result") {
    seen.settled ??= new Set();
    seen.settled.add(event.data.call_id);
  }
  // No call reports progress after the end of its run.
  if (event.type === "run_ended") seen.settled = undefined;
  if (!endsAttempt(event)) return;
  seen.attempt = event.type === "llm_request" ? event.seq : 0;
  seen.chars = 0;
  seen.skip = 0;
  seen.parts = undefined;
  seen.taken = undefined;
  seen.shown = undefined;
}

/**
 * Adds to `news` the live events that a reader has not been shown yet, and updates its state. `afterSeq` is
 * where the reader started.
 */
export function addLiveEvents(news: LiveEvent[], live: LiveState, seen: ReaderState, afterSeq = 0): void {
  if (live.attempt !== 0 && live.attempt === seen.attempt) addDeltas(news, live, seen);
  addReports(news, live, seen, afterSeq);
}

/**
 * Adds to `news` the text that a reader has not been shown yet, one event per block. Updates the reader's
 * state.
 */
export function addDeltas(news: LiveEvent[], { attempt, parts }: LiveState, seen: ReaderState): void {
  // Another live state: read it from its beginning, and skip the text that the reader has.
  if (seen.parts !== parts) Object.assign(seen, { parts, taken: undefined, skip: seen.chars });
  if (parts.length === 0) return;
  seen.taken ??= new Map();
  seen.shown ??= new Map();
  for (const part of parts) {
    const { index } = part;
    const taken = seen.taken.get(index) ?? { pieces: 0, chars: 0 };
    // Nothing new in this block.
    if (part.pieces.length === taken.pieces) continue;
    const text = textAfter(part.pieces, taken.pieces);
    const offset = taken.chars;
    taken.pieces = part.pieces.length;
    taken.chars += text.length;
    seen.taken.set(index, taken);
    // The reader has the first characters, if it has connected or changed to another live state mid-answer.
    const skipped = Math.min(seen.skip, text.length);
    seen.skip -= skipped;
    if (skipped === text.length) continue;
    seen.chars += text.length - skipped;
    const event = deltaEvent(part, { attempt, index, offset: offset + skipped, text: text.slice(skipped) });
    const shown = seen.shown.get(index);
    if (shown === undefined) seen.shown.set(index, { type: event.type, index, chars: taken.chars });
    else shown.chars = taken.chars;
    news.push(event);
  }
}

/** Joins the pieces from an index on. */
function textAfter(pieces: readonly string[], from: number): string {
  return pieces.length === from + 1 ? (pieces[from] as string) : pieces.slice(from).join("");
}

type DeltaType = "text_delta" | "thinking_delta" | "tool_input_delta" | "output_delta";

/** Returns the event that shows a piece of a block's text. */
function deltaEvent({ kind, tool, output }: LivePart, data: Delta): Extract<LiveEvent, { type: DeltaType }> {
  if (output !== undefined)
    return { type: "output_delta", data: { ...data, ...(output.wrapped && { wrapped: true as const }) } };
  if (kind === "tool_input") {
    return { type: "tool_input_delta", data: { ...data, ...(tool ?? { call_id: "", tool_name: "" }) } };
  }
  return { type: kind === "text" ? "text_delta" : "thinking_delta", data };
}

/** A reader's position in an answer in progress. */
export interface LiveCursor {
  /** `seq` of the `llm_request` that is being answered. */
  attempt: number;
  /**
   * UTF-16 code units of the answer that the reader has, over all its blocks in order, including tool inputs.
   */
  chars: number;
}

/**
 * A reader's position in a session. The reader can continue from there on another connection, in any process,
 * without missing an event or seeing one twice.
 */
export interface Cursor {
  /** `seq` of the last stored event that the reader has. */
  afterSeq: number;
  /** How much of the answer in progress the reader has; absent if none was shown. */
  live?: LiveCursor;
}

/**
 * Returns a reader's cursor after it has read `event`, given its cursor before.
 *
 * @example
 * ```ts
 * import { formatCursor, advanceCursor } from "@pawl/core/view";
 *
 * const delta = { type: "text_delta", data: { attempt: 4, index: 0, offset: 0, text: "Hello" } } as const;
 * console.log(formatCursor(advanceCursor({ afterSeq: 4 }, delta))); // 4~4~5
 * ```
 */
export function advanceCursor(cursor: Cursor, event: SessionEvent): Cursor {
  if ("seq" in event)
    return endsAttempt(event) ? { afterSeq: event.seq } : { ...cursor, afterSeq: event.seq };
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_input_delta":
    case "output_delta": {
      const { attempt, text } = event.data;
      const before = cursor.live?.attempt === attempt ? cursor.live.chars : 0;
      return { afterSeq: cursor.afterSeq, live: { attempt, chars: before + text.length } };
    }
    case "attempt_restarted":
      return { afterSeq: cursor.afterSeq };
    default:
      return cursor;
  }
}

/**
 * Formats a cursor as text, e.g. as the id of a server-sent event: `42`, or in the middle of an answer
 * `42~40~1234`.
 *
 * @example
 * ```ts
 * import { formatCursor } from "@pawl/core/view";
 *
 * console.log(formatCursor({ afterSeq: 42 })); // 42
 * ```
 */
export function formatCursor({ afterSeq, live }: Cursor): string {
  return live === undefined ? `${afterSeq}` : `${afterSeq}~${live.attempt}~${live.chars}`;
}

/**
 * Parses a text made by {@link formatCursor}. Returns `undefined` for any other text.
 *
 * @example
 * ```ts
 * import { parseCursor } from "@pawl/core/view";
 *
 * console.log(parseCursor("42~40~1234")); // { afterSeq: 42, live: { attempt: 40, chars: 1234 } }
 * ```
 */
export function parseCursor(text: string): Cursor | undefined {
  const [, seq, attempt, chars] = /^(\d{1,10})(?:~(\d{1,10})~(\d{1,10}))?$/.exec(text) ?? [];
  const afterSeq = Number(seq ?? Number.NaN);
  if (!(afterSeq <= MAX)) return undefined;
  if (attempt === undefined) return { afterSeq };
  const live = { attempt: Number(attempt), chars: Number(chars) };
  // An answer is shown after its request, so the reader must have read that request.
  const isPossible = live.attempt > 0 && live.attempt <= afterSeq && live.chars <= MAX;
  return isPossible ? { afterSeq, live } : undefined;
}

/** The largest signed 32-bit integer: no log and no answer is longer. */
const MAX = 2_147_483_647;
