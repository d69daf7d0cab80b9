import { jsonText } from "../log/storable.ts";

/** Returns the length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Returns `value` as JSON text if the text has more than `bytes` bytes in UTF-8, otherwise `undefined`. First
 * makes an estimate, so that small values are not serialized.
 *
 * @throws PawlError `invalid_input` for what {@link jsonText} refuses.
 */
export function jsonIfLarger(value: unknown, bytes: number): string | undefined {
  if (roomAfter(value, bytes, ESTIMATED_LEVELS) >= 0) return undefined;
  const text = jsonText(value);
  // In UTF-8, each UTF-16 code unit of the text takes 1 to 3 bytes.
  if (text.length > bytes) return text;
  return text.length * 3 > bytes && utf8Length(text) > bytes ? text : undefined;
}

/** Values with more nested levels are serialized without an estimate. */
const ESTIMATED_LEVELS = 64;

/**
 * Estimates how many of `room` bytes the JSON of `value` leaves. Assumes the longest possible escapes, so the
 * JSON certainly fits if the result is 0 or more. If it is negative, the size is unknown. This is also so for
 * values with `toJSON` or more than `depth` levels. A cycle ends when it has used up the room.
 */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - longestJson(value);
  if (typeof value !== "object" || value === null) return room - LONGEST_NUMBER;
  if (depth === 0 || typeof (value as { toJSON?: unknown }).toJSON === "function") return -1;
  let roomLeft = room - 2;
  if (Array.isArray(value)) {
    roomLeft -= value.length;
    for (let index = 0; index < value.length && roomLeft >= 0; index += 1) {
      roomLeft = roomAfter(value[index], roomLeft, depth - 1);
    }
    return roomLeft;
  }
  for (const key in value) {
    roomLeft = roomAfter(
      (value as { [key: string]: unknown })[key],
      roomLeft - longestJson(key) - 2,
      depth - 1,
    );
    if (roomLeft < 0) return roomLeft;
  }
  return roomLeft;
}

/**
 * The longest JSON of a number in characters: sign, 17 digits, point and exponent. `true`, `false` and `null`
 * are shorter.
 */
const LONGEST_NUMBER = 24;

/**
 * Returns the longest JSON of a text in characters: in quotes, with each character escaped as e.g. `\u0000`.
 */
function longestJson(text: string): number {
  return text.length * 6 + 2;
}
