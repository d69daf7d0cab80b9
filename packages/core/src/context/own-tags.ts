import type { StoredEvent } from "../log/event.ts";
import { WRAPPER_TAGS } from "./sanitize.ts";

const TAG = /^[a-z][a-z0-9_-]{0,63}$/i;

/** The part of a session's state that has its own tags, with the `seq` of their first use. */
interface Tagged {
  ownTags: Map<string, number>;
}

/**
 * Returns whether a text can be a tag of the application's own: a name of 1 to 64 characters `A-Z a-z 0-9 _
 * -` that begins with a letter and is not one of Pawl's own tags.
 */
export function isOwnTag(tag: unknown): tag is string {
  const taken: readonly string[] = WRAPPER_TAGS;
  return typeof tag === "string" && TAG.test(tag) && !taken.includes(tag.toLowerCase());
}

/**
 * Returns the application's own tag of a note or of knowledge; `undefined` if it has none. Another writer may
 * have stored an invalid tag.
 */
export function ownTagOf(event: StoredEvent): string | undefined {
  if (event.type !== "note" && event.type !== "knowledge") return undefined;
  return isOwnTag(event.data.tag) ? event.data.tag : undefined;
}

/** Remembers the first use of an event's own tag in the session. */
export function countOwnTag({ ownTags }: Tagged, event: StoredEvent): void {
  const tag = ownTagOf(event)?.toLowerCase();
  if (tag !== undefined && !ownTags.has(tag)) ownTags.set(tag, event.seq);
}

const NO_TAGS: readonly string[] = [];

/**
 * Returns the own tags that the session has used up to the event `seq`. Text of this event must not contain
 * them. Tags that are first used later do not count, so that text which was sent never changes.
 */
export function ownTagsAt({ ownTags }: Tagged, seq: number): readonly string[] {
  if (ownTags.size === 0) return NO_TAGS;
  return [...ownTags].flatMap(([tag, from]) => (from <= seq ? [tag] : []));
}
