import type { SessionEvent } from "../run-handle.ts";
import { endsAttempt } from "./seen.ts";

/** How far a reader is in an answer that is being written. */
export interface LivePlace {
  /** `seq` of its `llm_request`. */
  attempt: number;
  /** UTF-16 code units of it that the reader has, over all its blocks in their order, inputs of tools included. */
  chars: number;
}

/** Where a reader is: it goes on from there on another connection, in any process, with nothing missing and nothing twice. */
export interface Place {
  /** The last stored event that it has. */
  afterSeq: number;
  live?: LivePlace;
}

/**
 * The place behind an event that was read from `place` on.
 *
 * @example
 * ```ts
 * import { formatPlace, placeAfter } from "@pawl/core";
 *
 * const delta = { type: "text_delta", data: { attempt: 4, index: 0, offset: 0, text: "Hello" } } as const;
 * console.log(formatPlace(placeAfter({ afterSeq: 4 }, delta))); // 4~4~5
 * ```
 */
export function placeAfter(place: Place, event: SessionEvent): Place {
  if ("seq" in event) return endsAttempt(event) ? { afterSeq: event.seq } : { ...place, afterSeq: event.seq };
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_input_delta": {
      const { attempt, text } = event.data;
      const before = place.live?.attempt === attempt ? place.live.chars : 0;
      return { afterSeq: place.afterSeq, live: { attempt, chars: before + text.length } };
    }
    case "attempt_restarted":
      return { afterSeq: place.afterSeq };
    default:
      return place;
  }
}

/** A place as text, e.g. as the id of a server-sent event: `42`, or in the middle of an answer `42~40~1234`. */
export function formatPlace({ afterSeq, live }: Place): string {
  return live === undefined ? `${afterSeq}` : `${afterSeq}~${live.attempt}~${live.chars}`;
}

/** A place of a text that {@link formatPlace} may have made; `undefined` for any other. */
export function parsePlace(text: string): Place | undefined {
  const [, seq, attempt, chars] = /^(\d{1,10})(?:~(\d{1,10})~(\d{1,10}))?$/.exec(text) ?? [];
  const afterSeq = Number(seq ?? Number.NaN);
  if (!(afterSeq <= MAX)) return undefined;
  if (attempt === undefined) return { afterSeq };
  const live = { attempt: Number(attempt), chars: Number(chars) };
  // An answer is shown after its request, so that cannot be one that the reader has not read.
  const isPossible = live.attempt > 0 && live.attempt <= afterSeq && live.chars <= MAX;
  return isPossible ? { afterSeq, live } : undefined;
}

/** No log, and no answer, is longer than a signed integer of 32 bits can count. */
const MAX = 2_147_483_647;
