import type { EventOf, SessionEvent } from "@pawl/core";
import { advanceCursor, type Cursor, type Delta } from "@pawl/core/view";

/** How far a client has read a session, including each block of the answer in progress. */
export interface Standing {
  place: Cursor;
  /** The number of characters read, keyed by block index. */
  blocks: ReadonlyMap<number, number>;
}

/** Thrown if events or text are missing between the client's position and an event. */
export class Gap extends Error {}

/**
 * Returns the standing of a client that has read the stored events up to `afterSeq`, and no text after them.
 */
export function standingAt(afterSeq: number): Standing {
  return { place: { afterSeq }, blocks: new Map() };
}

/**
 * Returns the standing after an event, and as `news` the part of the event that is new. Text that the client
 * has already is left out.
 *
 * @throws Gap if events or text before this event are missing.
 */
export function step(standing: Standing, event: SessionEvent): Standing & { news: SessionEvent | undefined } {
  const { place } = standing;
  if ("seq" in event) {
    if (event.seq <= place.afterSeq) return { ...standing, news: undefined };
    if (event.seq > place.afterSeq + 1) throw new Gap(`Missing events after ${place.afterSeq}.`);
  }
  const after = advanceCursor(place, event);
  if (!isDelta(event)) {
    return { place: after, blocks: after.live === undefined ? new Map() : standing.blocks, news: event };
  }
  const { attempt, index } = event.data;
  const blocks = place.live?.attempt === attempt ? standing.blocks : new Map<number, number>();
  const have = blocks.get(index) ?? 0;
  const fresh = newOf(event.data, have);
  if (fresh === undefined) return { ...standing, news: undefined };
  const news = { ...event, data: { ...event.data, ...fresh } } as DeltaEvent;
  const more = new Map(blocks).set(index, have + fresh.text.length);
  return { place: advanceCursor(place, news), blocks: more, news };
}

/**
 * Returns the `attempt_restarted` to report before an event that makes the client's text void. Returns
 * `undefined` if the stream has sent it. A stream that began before that text does not send it,
 * because its server does not know what this client has read, e.g. after a message was sent again.
 */
export function restartBefore({ place }: Standing, event: SessionEvent): SessionEvent | undefined {
  if (place.live === undefined || !("seq" in event) || event.seq <= place.afterSeq) return undefined;
  const isVoid = event.type !== "assistant_message" && advanceCursor(place, event).live === undefined;
  return isVoid ? { type: "attempt_restarted", data: { attempt: place.live.attempt } } : undefined;
}

type DeltaEvent = EventOf<"text_delta" | "thinking_delta" | "tool_input_delta" | "output_delta">;

function isDelta(event: SessionEvent): event is DeltaEvent {
  return /^(text|thinking|tool_input|output)_delta$/.test(event.type);
}

/** Returns the part of a delta after the first `have` characters; `undefined` if none exists. */
function newOf({ offset, text }: Delta, have: number): Pick<Delta, "offset" | "text"> | undefined {
  if (offset > have) throw new Gap(`Missing text after ${have}.`);
  return offset + text.length > have ? { offset: have, text: text.slice(have - offset) } : undefined;
}
