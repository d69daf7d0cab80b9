import type { StoredEvent } from "../log/event.ts";
import type { SessionState } from "../session/state.ts";
import { isOwnTag } from "./sanitize.ts";

/**
 * The most tags that the hooks of an agent may declare, and the most own tags of a session. Every text for
 * the model is searched for all of them.
 */
export const MOST_TAGS = 50;

/** The part of a session's state that has its own tags. */
type Tagged = Pick<SessionState, "ownTags">;

/**
 * Returns the application's own tag of a note or of knowledge. Returns `undefined` if the event has no tag,
 * or an invalid one from a writer that bypasses the runtime.
 */
export function ownTagOf(event: StoredEvent): string | undefined {
  if (event.type !== "note" && event.type !== "knowledge") return undefined;
  return isOwnTag(event.data.tag) ? event.data.tag : undefined;
}

/** Records the first use of an event's own tag in the session, and the tags that a run's hooks declare. */
export function recordTags({ ownTags, kept }: Tagged & Pick<SessionState, "kept">, event: StoredEvent): void {
  const tag = ownTagOf(event)?.toLowerCase();
  if (tag !== undefined && !ownTags.has(tag)) ownTags.set(tag, event.seq);
  if (event.type !== "run_started" || event.data.tags === undefined) return;
  for (const declared of event.data.tags.filter(isOwnTag)) ownTags.set(declared.toLowerCase(), DECLARED);
  // The entries of unsent events may be cached without these tags escaped.
  kept.entries.clear();
}

/** Marks a declared tag in `ownTags`, in place of the `seq` of its first use. */
const DECLARED = 0;

/** Returns the tags of hooks that no run of the session has declared yet, as the hooks spell them. */
export function newHookTags(
  { ownTags }: Tagged,
  hooks: readonly { readonly tags?: readonly string[] }[],
): string[] {
  const tags = new Map(hooks.flatMap((hook) => hook.tags ?? []).map((tag) => [tag.toLowerCase(), tag]));
  return [...tags].flatMap(([name, tag]) => (ownTags.get(name) === DECLARED ? [] : [tag]));
}

const NO_TAGS: readonly string[] = [];

/** Returns the tags that hooks have declared. They are escaped in all text of users and tools. */
export function hookTagsOf({ ownTags }: Tagged): readonly string[] {
  // Every event has a higher `seq` than `DECLARED`, so only declared tags match.
  return ownTagsAt({ ownTags }, DECLARED);
}

/**
 * Returns the own tags to escape in the text of the event `seq`: those that the session has used up to this
 * event, and those that hooks have declared. Tags that are first used later do not count, because text that
 * was sent must never change. Declared tags always count: new ones come only when a run starts, before its
 * first request.
 */
export function ownTagsAt({ ownTags }: Tagged, seq: number): readonly string[] {
  if (ownTags.size === 0) return NO_TAGS;
  return [...ownTags].flatMap(([tag, firstSeq]) => (firstSeq <= seq ? [tag] : []));
}
