import type { StoredEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { isOwnTag } from "./sanitize.ts";

/** The most tags of an agent's hooks and of a session. Every text for the model is searched for all tags. */
export const MOST_TAGS = 50;

/** The part of a session's state that has its own tags. */
type Tagged = Pick<SessionState, "ownTags">;

/**
 * Returns the application's own tag of a note or of knowledge; `undefined` if it has none. Another writer may
 * have stored an invalid tag.
 */
export function ownTagOf(event: StoredEvent): string | undefined {
  if (event.type !== "note" && event.type !== "knowledge") return undefined;
  return isOwnTag(event.data.tag) ? event.data.tag : undefined;
}

/** Remembers the first use of an event's own tag in the session, and the tags that a run's hooks declare. */
export function countOwnTag(
  { ownTags, kept }: Tagged & Pick<SessionState, "kept">,
  event: StoredEvent,
): void {
  const tag = ownTagOf(event)?.toLowerCase();
  if (tag !== undefined && !ownTags.has(tag)) ownTags.set(tag, event.seq);
  if (event.type !== "run_started" || event.data.tags === undefined) return;
  for (const declared of event.data.tags.filter(isOwnTag)) ownTags.set(declared.toLowerCase(), DECLARED);
  // Events that were not sent yet may be cached in a form in which these tags are not escaped.
  kept.entries.clear();
}

/** Marks a declared tag in `ownTags`, in place of the `seq` of its first use. */
const DECLARED = 0;

/** Returns the tags of hooks that no run of the session has declared yet. */
export function newHookTags(
  { ownTags }: Tagged,
  hooks: readonly { readonly tags?: readonly string[] }[],
): string[] {
  const tags = new Map(hooks.flatMap((hook) => hook.tags ?? []).map((tag) => [tag.toLowerCase(), tag]));
  return [...tags].flatMap(([name, tag]) => (ownTags.get(name) === DECLARED ? [] : [tag]));
}

const NO_TAGS: readonly string[] = [];

/** Returns the tags that hooks have declared. No text of users or tools may contain them. */
export function hookTagsOf({ ownTags }: Tagged): readonly string[] {
  return ownTagsAt({ ownTags }, DECLARED);
}

/**
 * Returns the own tags that text of the event `seq` must not contain: those that the session has used up to
 * this event, and those that hooks have declared. Tags that are first used later do not count, because text
 * that was sent must never change. Declared tags always count: new ones come only when a run starts, before
 * its first request.
 */
export function ownTagsAt({ ownTags }: Tagged, seq: number): readonly string[] {
  if (ownTags.size === 0) return NO_TAGS;
  return [...ownTags].flatMap(([tag, from]) => (from <= seq ? [tag] : []));
}
