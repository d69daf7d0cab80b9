import type { Json } from "../json.ts";
import { literalCopy } from "../literal-copy.ts";
import { EVENT_VERSION, type NewEvent, type StoredEvent } from "./event.ts";
import { jsonText } from "./storable.ts";

/** Freezes JSON data to its leaves, however deep they are, and returns it. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (part === null || typeof part !== "object" || Object.isFrozen(part)) continue;
    for (const inner of Object.values(Object.freeze(part))) open.push(inner);
  }
  return value;
}

/** The event as it is read back, frozen to its leaves. */
export function toStored(event: NewEvent, sessionId: string, seq: number, at: string): StoredEvent {
  const { type, key, durationMs } = event;
  const stored: Record<string, Json> = { sessionId, seq, v: EVENT_VERSION, at, type };
  if (key !== undefined) stored.key = key;
  if (durationMs !== undefined) stored.durationMs = durationMs;
  stored.data = storedData(event.data);
  return Object.freeze(stored) as unknown as StoredEvent;
}

const frozen = { text: (part: string) => part, done: Object.freeze };

/** A frozen copy of what JSON makes of a payload. */
function storedData(data: unknown): Json {
  return literalCopy(data, frozen) ?? deepFreeze(JSON.parse(jsonText(data)) as Json);
}
