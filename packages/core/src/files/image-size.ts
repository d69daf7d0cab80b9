/** The size of a picture in pixels. */
export interface PixelSize {
  width: number;
  height: number;
}

/** The media types of pictures that models read. */
export type PictureType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/**
 * Returns the media type of a picture by its first bytes; `undefined` for anything else. What follows these
 * bytes is not examined, so a picture may also be valid HTML: never serve it with another type.
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

/**
 * Reads the size of a picture from its header, without decoding it. Returns `undefined` if the header is
 * damaged or cut off.
 *
 * @example
 * ```ts
 * import { pictureSize } from "@pawl/core/model";
 *
 * const gif = Uint8Array.of(71, 73, 70, 56, 57, 97, 64, 1, 200, 0);
 * console.log(pictureSize(gif, "image/gif")); // { width: 320, height: 200 }
 * ```
 */
export function pictureSize(bytes: Uint8Array, type: PictureType): PixelSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = SIZES[type](view, bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // Reading past the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type ReadSize = (view: DataView, bytes: Uint8Array) => PixelSize | undefined;

const SIZES: { readonly [type in PictureType]: ReadSize } = {
  "image/png": (view, bytes) =>
    hasWordAt(bytes, "IHDR", 12) ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/webp": webpSize,
  "image/jpeg": jpegSize,
};

function webpSize(view: DataView, bytes: Uint8Array): PixelSize | undefined {
  switch (bytesAsText(bytes, 12, 16)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      const of = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
      return { width: of(24), height: of(27) };
    }
    default:
      return undefined;
  }
}

/** Goes from marker to marker until one starts a frame (SOF). */
function jpegSize(view: DataView): PixelSize | undefined {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else if (marker === 0xda || marker === 0xd9) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** Whether the marker is one of SOF0 to SOF15. DHT, JPG and DAC lie between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

/** Returns a few bytes as text, one character for each byte. */
export function bytesAsText(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/** Returns whether an ASCII word is at this place. */
export function hasWordAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  return true;
}
