/** The media types of pictures that models read. */
export type PictureType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/**
 * Returns the media type of a picture by its first bytes; `undefined` for anything else. The other bytes are
 * not examined, so a picture may also be valid HTML: never serve it with another type.
 *
 * @example
 * ```ts
 * import { pictureType } from "@pawl/core/model";
 *
 * console.log(pictureType(new TextEncoder().encode("GIF89a…"))); // image/gif
 * ```
 */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg";
  const start = bytesAsText(bytes, 0, 6);
  if (start === "GIF87a" || start === "GIF89a") return "image/gif";
  if (hasWordAt(bytes, "RIFF", 0) && hasWordAt(bytes, "WEBP", 8)) return "image/webp";
  return undefined;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** Returns a few bytes as text, one character for each byte. */
export function bytesAsText(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/** Returns whether an ASCII word is at this offset. */
export function hasWordAt(bytes: Uint8Array, word: string, offset: number): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[offset + index] !== word.charCodeAt(index)) return false;
  return true;
}
