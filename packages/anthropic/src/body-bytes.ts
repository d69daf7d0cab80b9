import type { Body } from "./body.ts";

/**
 * A request body that was sent, its leading frozen messages, and the byte offset at which each of them ends.
 */
interface Sent {
  bytes: Uint8Array;
  messages: readonly object[];
  ends: readonly number[];
}

/**
 * For each conversation, the last body that was sent. The key is the body's first message, because the next
 * request of the conversation usually begins with the same object.
 */
const sent = new WeakMap<object, Sent>();

const encoder = new TextEncoder();

/**
 * Encodes a request body as JSON, with `messages` as its first field. Every turn sends the whole history
 * again, so the bytes of messages that the last body already had are copied and not encoded again.
 */
export function bodyBytes({ messages, system, tools, ...rest }: Body): Uint8Array<ArrayBuffer> {
  const [first] = messages;
  const known = first && sent.get(first);
  // The bytes cannot be copied if a fetch has transferred them, e.g. to another thread. Their length is 0
  // then.
  const before = known?.bytes.length === 0 ? undefined : known;
  const ends = before?.ends.slice(0, sameUpTo(before.messages, messages)) ?? [];
  const start = ends.at(-1) ?? 0;

  const fresh = messages.slice(ends.length).map((message) => JSON.stringify(message));
  const opening = start === 0 ? '{"messages":[' : fresh.length === 0 ? "" : ",";
  const fields = `${field("system", system)}${field("tools", tools)}${JSON.stringify(rest).slice(1)}`;
  const text = `${opening}${fresh.join(",")}],${fields}`;
  const written = encoder.encode(text);
  const body = start === 0 ? written : joined(before?.bytes.subarray(0, start), written);
  if (first === undefined) return body;

  const isAscii = written.length === text.length;
  let end = start + opening.length;
  for (const json of fresh) {
    if (!Object.isFrozen(messages[ends.length])) break;
    end += isAscii ? json.length : encoder.encode(json).length;
    ends.push(end);
    end += 1;
  }
  sent.set(first, { bytes: body, messages: messages.slice(0, ends.length), ends });
  return body;
}

/**
 * Encodes a field with its comma. The JSON of a frozen list is cached, because most requests repeat the list.
 */
function field(name: string, value: unknown): string {
  if (value === undefined) return "";
  if (!Array.isArray(value) || !Object.isFrozen(value)) return `"${name}":${JSON.stringify(value)},`;
  const json = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, json);
  return `"${name}":${json},`;
}

const texts = new WeakMap<object, string>();

/** Counts the leading messages that are the same objects as before. */
function sameUpTo(before: readonly object[], now: readonly object[]): number {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  return same;
}

function joined(start: Uint8Array = new Uint8Array(), end: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(start.length + end.length);
  whole.set(start);
  whole.set(end, start.length);
  return whole;
}
