import type { Body } from "./body.ts";

/** Messages that were sent, each with a comma behind it, and where each of them ends. */
interface Sent {
  messages: readonly object[];
  bytes: Uint8Array;
  ends: readonly number[];
}

/** By their first message. Sessions that have it in common have in common what they begin with. */
const sent = new WeakMap<object, Sent>();

const encoder = new TextEncoder();

/**
 * The body as JSON. Every turn sends the whole history again; the messages that were sent before, at the same place behind the
 * same ones, are copied, provided that they are frozen.
 */
export function bodyBytes({ messages, ...rest }: Body): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${JSON.stringify(rest).slice(0, -1)},"messages":[`);
  const [first] = messages;
  const before = first && sent.get(first);
  const same = before === undefined ? 0 : unchanged(before.messages, messages);
  const start = before?.bytes.subarray(0, before.ends[same - 1] ?? 0) ?? new Uint8Array();
  const own = messages.slice(same).map((message) => encoder.encode(`${JSON.stringify(message)},`));

  const ends = before?.ends.slice(0, same) ?? [];
  for (const { length } of own) ends.push((ends.at(-1) ?? 0) + length);
  const length = ends.at(-1) ?? 0;
  const body = new Uint8Array(head.length + length + (length === 0 ? 2 : 1));
  body.set(head);
  let at = head.length;
  for (const part of [start, ...own]) {
    body.set(part, at);
    at += part.length;
  }
  if (first !== undefined) {
    sent.set(first, { messages: [...messages], bytes: body.slice(head.length, at), ends });
  }
  // In the place of the last comma.
  body.set(END, body.length - END.length);
  return body;
}

const END = encoder.encode("]}");

/** How many messages from the first one on are what they were. */
function unchanged(before: readonly object[], now: readonly object[]): number {
  const changed = now.findIndex((message, at) => message !== before[at] || !Object.isFrozen(message));
  return changed === -1 ? now.length : changed;
}
