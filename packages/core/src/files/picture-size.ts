import { bytesAsText, hasWordAt, type PictureType } from "./picture-type.ts";

/** The size of a picture in pixels. */
export interface PixelSize {
  width: number;
  height: number;
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
    // The header is cut off, so the read went past its end.
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
      // Each side is stored in 14 bits, minus one.
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      // Stored as 24 bits, minus one.
      const sideAt = (offset: number) => view.getUint16(offset, true) + (view.getUint8(offset + 2) << 16) + 1;
      return { width: sideAt(24), height: sideAt(27) };
    }
    default:
      return undefined;
  }
}

/** Reads the size from the first marker that starts a frame (SOF). Skips the segments before it. */
function jpegSize(view: DataView): PixelSize | undefined {
  for (let offset = 2; ; ) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    // Markers without a length (TEM, RST, SOI), and those after which no frame can start (SOS, EOI).
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    const endsHeader = marker === 0xda || marker === 0xd9;
    if (marker === 0xff) offset += 1;
    else if (hasNoLength) offset += 2;
    else if (isFrame(marker))
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    else if (endsHeader) return undefined;
    else offset += 2 + view.getUint16(offset + 2);
  }
}

/**
 * Returns whether a marker starts a frame: SOF0 to SOF15, without DHT, JPG and DAC, which lie between them.
 */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
