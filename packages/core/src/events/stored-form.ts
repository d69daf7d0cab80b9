import type { Json } from "../json.ts";
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
  const stored = {
    sessionId,
    seq,
    v: EVENT_VERSION,
    at,
    type,
    ...(key === undefined ? {} : { key }),
    ...(durationMs === undefined ? {} : { durationMs }),
    data: storedData(event.data),
  };
  return Object.freeze(stored) as StoredEvent;
}

/** A frozen copy of what JSON makes of a payload. To write it out and read it back costs five times as much. */
function storedData(data: unknown): Json {
  try {
    return frozenCopy(data) ?? null;
  } catch {
    return deepFreeze(JSON.parse(jsonText(data)) as Json);
  }
}

/**
 * `undefined` for what JSON drops.
 *
 * @throws for what may have its own idea of its JSON: anything but literals, and keys that mean something.
 */
function frozenCopy(value: unknown): Json | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === undefined) return value;
  // JSON knows neither a negative zero nor what is not finite.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (value === null) return null;
  if (Array.isArray(value)) {
    const copy: Json[] = [];
    for (const part of value) copy.push(frozenCopy(part) ?? null);
    return Object.freeze(copy) as Json[];
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError("no literal");
  const copy: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    if (key === "toJSON" || key === "__proto__") throw new TypeError(key);
    const part = frozenCopy((value as { [key: string]: unknown })[key]);
    if (part !== undefined) copy[key] = part;
  }
  return Object.freeze(copy);
}
