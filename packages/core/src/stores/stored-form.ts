import { deepFreeze } from "../base/freeze.ts";
import { type Json, literalCopy } from "../base/json.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "../log/event.ts";
import { jsonText } from "../log/storable.ts";

/** Returns a new event as it will be read from the store, deeply frozen. */
export function toStored(event: NewEvent, sessionId: string, seq: number, at: string): StoredEvent {
  const { type, key, durationMs } = event;
  const stored: Record<string, Json> = { sessionId, seq, v: EVENT_VERSION, at, type };
  if (key !== undefined) stored.key = key;
  if (durationMs !== undefined) stored.durationMs = durationMs;
  stored.data = storedData(event.data);
  return Object.freeze(stored) as unknown as StoredEvent;
}

/** Copies strings as they are, and freezes finished objects. */
const frozen = { text: (part: string) => part, done: Object.freeze };

/** Frozen payloads that {@link storedData} has made. They may be stored without another copy. */
const reusable = new WeakSet<object>();

/**
 * Returns an event with the payload of its stored form. A memory store then keeps this object, without a
 * copy.
 */
export function withStoredData(event: NewEvent, stored: StoredEvent): NewEvent {
  const data: unknown = stored.data;
  if (typeof data === "object" && data !== null) reusable.add(data);
  return { ...event, data } as NewEvent;
}

/** Returns a frozen copy of a payload's JSON. */
function storedData(data: unknown): Json {
  if (reusable.has(data as object)) return data as Json;
  return literalCopy(data, frozen) ?? deepFreeze(JSON.parse(jsonText(data)) as Json);
}
