import type { ContentBlock, Message } from "../model/content.ts";
import type { ContextEntry, KeptMessages } from "../session/context-entry.ts";

/**
 * Converts context entries to messages: adjacent entries of one role become one message. Reuses the messages
 * in `kept`: the same entries give the same frozen objects, so a model client can cache its own form of a
 * message.
 */
export function toMessages(entries: readonly ContextEntry[], kept: KeptMessages): Message[] {
  const same = sameUpTo(kept.entries, entries);
  // Only messages whose entries are unchanged are reused: an entry may have been redacted or dropped, and the
  // last message may have grown.
  const last = kept.ends.findLastIndex((end) => end < same || (end === same && isEnd(entries, end)));
  const messages = kept.messages.slice(0, last + 1);
  const ends = kept.ends.slice(0, last + 1);
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

function sameUpTo(before: readonly ContextEntry[], now: readonly ContextEntry[]): number {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  return same;
}

/** Returns whether a message ends before the entry `at`. */
function isEnd(entries: readonly ContextEntry[], at: number): boolean {
  return entries[at]?.role !== entries[at - 1]?.role;
}

function joinedMessage(entries: readonly ContextEntry[]): Message {
  const { role } = entries[0] as ContextEntry;
  // The blocks are frozen already.
  return Object.freeze({
    role,
    content: Object.freeze(entries.flatMap(({ blocks }) => blocks)) as ContentBlock[],
  });
}
