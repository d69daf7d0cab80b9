import { deflateSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

const ascii = (text: string): Bytes => new Uint8Array(Buffer.from(text, "latin1"));

export const joinedBytes = (...parts: readonly Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts));

/** A PNG with this size in its header, padded to `bytes`. `seed` makes its content another one. */
export function png(width: number, height: number, { bytes = 67, seed = 0 } = {}): Bytes {
  const content = new Uint8Array(bytes);
  content.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  content.set(ascii("IHDR"), 12);
  const view = new DataView(content.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  view.setUint32(30, seed);
  return content;
}

export function gif(width: number, height: number, tail = ""): Bytes {
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint16(0, width, true);
  new DataView(size.buffer).setUint16(2, height, true);
  return joinedBytes(ascii("GIF89a"), size, ascii(`\0\0\0${tail}`));
}

/** A JPEG with an EXIF segment before its frame. */
export function jpeg(width: number, height: number, exifBytes = 300): Bytes {
  const exif = new Uint8Array(exifBytes + 2);
  new DataView(exif.buffer).setUint16(0, exifBytes + 2);
  const frame = new Uint8Array(8);
  const view = new DataView(frame.buffer);
  view.setUint16(0, 17);
  view.setUint8(2, 8);
  view.setUint16(3, height);
  view.setUint16(5, width);
  return joinedBytes(
    Uint8Array.of(0xff, 0xd8, 0xff, 0xe1),
    exif,
    Uint8Array.of(0xff, 0xff, 0xc2),
    frame,
    new Uint8Array(20),
  );
}

export function webp(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Bytes {
  const content = new Uint8Array(40);
  content.set(ascii("RIFF"), 0);
  content.set(ascii("WEBP"), 8);
  content.set(ascii(kind), 12);
  const view = new DataView(content.buffer);
  if (kind === "VP8 ") {
    view.setUint16(26, width, true);
    view.setUint16(28, height, true);
  } else if (kind === "VP8L") {
    view.setUint8(20, 0x2f);
    view.setUint32(21, (width - 1) | ((height - 1) << 14), true);
  } else {
    view.setUint16(24, width - 1, true);
    view.setUint16(27, height - 1, true);
  }
  return content;
}

/** A PDF with this many page objects, in compressed object streams if `packed`. Only its pages can be counted. */
export function pdf(pages: number, { packed = false, trailer = "" } = {}): Bytes {
  const objects = Array.from(
    { length: pages },
    (_, at) => `${at + 3} 0 obj\n<< /Type /Page /Parent 2 0 R >>\n`,
  );
  const tree = `2 0 obj\n<< /Type /Pages /Count ${pages} >>\n`;
  const body = packed
    ? joinedBytes(
        ascii(`${tree}9 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\r\n`),
        deflateSync(objects.join("")),
        ascii("\nendstream\n"),
      )
    : ascii(tree + objects.join(""));
  return joinedBytes(ascii("%PDF-1.7\n"), body, ascii(`trailer\n<< /Root 1 0 R ${trailer} >>\n%%EOF\n`));
}

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
