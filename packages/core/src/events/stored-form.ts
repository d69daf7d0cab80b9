import { messageOf, PawlError } from "../errors.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "./event.ts";

/** The longest id or key in bytes of UTF-8: two of them fit into one entry of a database's index. */
const MAX_NAME_BYTES = 1_000;

/**
 * Checks an id, a type or a key before it is stored.
 *
 * @throws PawlError `invalid_input` when it is empty, longer than 1,000 bytes or has a NUL in it.
 */
export function checkName(name: string): void {
  const tooLong = name.length * 3 > MAX_NAME_BYTES && new TextEncoder().encode(name).length > MAX_NAME_BYTES;
  if (name === "" || tooLong || name.includes("\0"))
    throw new PawlError("invalid_input", "Ids, types and keys have 1 to 1,000 bytes and no NUL.");
}

/**
 * Checks what is about to be appended.
 *
 * @throws PawlError `invalid_input` when there is no event, a bad type or key, or one key twice.
 */
export function checkBatch(events: readonly NewEvent[], appendId: string): void {
  checkName(appendId);
  if (events.length === 0) throw new PawlError("invalid_input", "An append has at least one event.");
  const keys = new Set<string>();
  for (const { type, key } of events) {
    checkName(type);
    if (key === undefined) continue;
    checkName(key);
    if (keys.has(key)) throw new PawlError("invalid_input", `The key "${key}" is in the batch twice.`);
    keys.add(key);
  }
}

/**
 * A copy of `value` as it comes back from storage: through JSON once, `undefined` as `null`.
 *
 * @throws PawlError `invalid_input` for a cycle, a bigint or nesting without end.
 */
export function throughJson(value: unknown, replacer?: (key: string, part: unknown) => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value, replacer) ?? "null");
  } catch (error) {
    throw new PawlError("invalid_input", `This cannot be stored as JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Replaces what a `jsonb` column refuses, NUL and lone surrogates, by U+FFFD. For {@link throughJson}. */
export function wellFormed(_key: string, part: unknown): unknown {
  return typeof part === "string" ? part.toWellFormed().replaceAll("\0", "\uFFFD") : part;
}

/** Freezes JSON data to its leaves and returns it. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** The event as it is read back, frozen to its leaves. */
export function toStored(event: NewEvent, sessionId: string, seq: number, at: string): StoredEvent {
  const { type, key, durationMs } = event;
  const stored = {
    sessionId,
    seq,
    v: EVENT_VERSION,
    at,
    type,
    ...(key === undefined ? {} : { key }),
    ...(durationMs === undefined ? {} : { durationMs }),
    data: throughJson(event.data),
  };
  return deepFreeze(stored) as StoredEvent;
}
