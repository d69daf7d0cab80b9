import { EVENT_VERSION, type NewEvent, type StoredEvent } from "./event.ts";
import { jsonText } from "./storable.ts";

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
    data: JSON.parse(jsonText(event.data)),
  };
  return deepFreeze(stored) as StoredEvent;
}
