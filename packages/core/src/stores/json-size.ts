import { jsonText } from "../log/storable.ts";

/** Returns the length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Returns `value` as JSON text if that is larger than `bytes` of UTF-8, otherwise `undefined`. An estimate
 * comes first, so that small values are not serialized.
 *
 * @throws PawlError `invalid_input` for what {@link jsonText} refuses.
 */
export function jsonIfLarger(value: unknown, bytes: number): string | undefined {
  if (roomAfter(value, bytes, 64) >= 0) return undefined;
  const text = jsonText(value);
  if (text.length > bytes) return text;
  return text.length * 3 > bytes && utf8Length(text) > bytes ? text : undefined;
}

/**
 * Estimates how many of `room` bytes are left after the JSON of `value`. Assumes the longest possible
 * escapes, so a result of 0 or more is certain; after a negative result, `value` must be serialized. Stops at
 * a cycle too, because every value uses some room, and stops below `depth` levels.
 */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - longest(value);
  if (typeof value !== "object" || value === null) return room - LONGEST_NUMBER;
  if (depth === 0 || typeof (value as { toJSON?: unknown }).toJSON === "function") return -1;
  let left = room - 2;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; index < value.length && left >= 0; index += 1) {
      left = roomAfter(value[index], left, depth - 1);
    }
    return left;
  }
  for (const key in value) {
    left = roomAfter((value as { [key: string]: unknown })[key], left - longest(key) - 2, depth - 1);
    if (left < 0) return left;
  }
  return left;
}

/**
 * The longest JSON of a number in characters: sign, 17 digits, point and exponent. `true`, `false` and `null`
 * are shorter.
 */
const LONGEST_NUMBER = 24;

/** Returns the greatest length of a text in JSON: in quotes, with each character escaped as `\u0000`. */
function longest(text: string): number {
  return text.length * 6 + 2;
}
