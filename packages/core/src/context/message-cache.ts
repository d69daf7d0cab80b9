import type { ContentBlock, Message } from "../model/content.ts";
import type { ContextEntry, KeptMessages } from "../session/context-entry.ts";

/**
 * Converts context entries to messages: adjacent entries of one role become one message. Reuses the messages
 * in `kept`. The same entries yield the same frozen objects, so that a model client can cache its own form of
 * a message.
 */
export function toMessages(entries: readonly ContextEntry[], kept: KeptMessages): Message[] {
  const sameCount = sameAtStart(kept.entries, entries);
  // Only messages whose entries are unchanged are reused: an entry may have been redacted or dropped, and the
  // last message may have grown.
  const lastReusable = kept.ends.findLastIndex(
    (end) => end < sameCount || (end === sameCount && isEnd(entries, end)),
  );
  const messages = kept.messages.slice(0, lastReusable + 1);
  const ends = kept.ends.slice(0, lastReusable + 1);
  while ((ends.at(-1) ?? 0) < entries.length) {
    const from = ends.at(-1) ?? 0;
    let end = from + 1;
    while (!isEnd(entries, end)) end += 1;
    messages.push(joinedMessage(entries.slice(from, end)));
    ends.push(end);
  }
  Object.assign(kept, { entries: [...entries], messages, ends });
  return [...messages];
}

/** Returns how many entries at the start of both lists are the same objects. */
function sameAtStart(earlier: readonly ContextEntry[], current: readonly ContextEntry[]): number {
  let count = 0;
  while (count < earlier.length && earlier[count] === current[count]) count += 1;
  return count;
}

/** Returns whether a message ends before the entry at `index`. */
function isEnd(entries: readonly ContextEntry[], index: number): boolean {
  return entries[index]?.role !== entries[index - 1]?.role;
}

function joinedMessage(entries: readonly ContextEntry[]): Message {
  const { role } = entries[0] as ContextEntry;
  // The blocks are frozen already.
  return Object.freeze({
    role,
    content: Object.freeze(entries.flatMap(({ blocks }) => blocks)) as ContentBlock[],
  });
}
