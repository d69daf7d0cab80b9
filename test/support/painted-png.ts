import { crc32, deflateSync } from "node:zlib";

interface Painting {
  width: number;
  height: number;
  /** Returns the colour of a pixel, 0 to 255 each. Default: a gradient. */
  colour?(x: number, y: number): readonly [red: number, green: number, blue: number];
}

/** Makes a valid PNG. */
export function paintedPng({ width, height, colour = gradient }: Painting): Uint8Array<ArrayBuffer> {
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => colour(x, y)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", header),
      chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

/** Makes a picture of a plate with a meal. */
export function mealPng(): Uint8Array<ArrayBuffer> {
  const within = (x: number, y: number, [cx, cy, radius]: readonly [number, number, number]) =>
    (x - cx) ** 2 + (y - cy) ** 2 < radius ** 2;
  return paintedPng({
    width: 320,
    height: 240,
    colour: (x, y) => {
      if (within(x, y, [130, 105, 42])) return [214, 106, 58];
      if (within(x, y, [195, 110, 36])) return [92, 148, 70];
      if (within(x, y, [160, 160, 34])) return [238, 205, 120];
      if (within(x, y, [160, 120, 105])) return [250, 250, 246];
      return [120 + ((x * 7 + y) % 9), 84, 60];
    },
  });
}

function gradient(x: number, y: number): [number, number, number] {
  return [(x * 5) % 256, (y * 5) % 256, 120];
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
