import { fromBase64 } from "../base/base64.ts";
import { kindOf } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import type { HeldPlace } from "../base/work-limit.ts";
import { LARGEST_UPLOAD, refusedFile } from "./inspect-file.ts";

/**
 * Returns the length in bytes of a file that is given as bytes, as a `Blob` or as base64. Copies and decodes
 * nothing, so the length of base64 may be up to two bytes too large.
 *
 * @param whose names the file in error messages
 * @throws PawlError `invalid_input` for another value, and for more bytes than any file may have.
 */
export function inputLength(input: unknown, whose = "The data of a file"): number {
  if (input instanceof Uint8Array) return checkedLength(input.length);
  return checkedLength(input instanceof Blob ? input.size : base64Length(input, whose));
}

/** Returns the bytes of a given file, whose length has been checked by {@link inputLength}. */
export async function inputBytes(
  input: unknown,
  whose = "The data of a file",
): Promise<Uint8Array<ArrayBuffer>> {
  if (input instanceof Uint8Array) return Uint8Array.from(input);
  return input instanceof Blob
    ? new Uint8Array(await input.arrayBuffer())
    : fromBase64(input as string, whose);
}

/** Returns whether a file is given in pieces, e.g. as the body of a request. */
export function isInPieces(input: unknown): input is AsyncIterable<Uint8Array> {
  return typeof input === "object" && typeof Object(input)[Symbol.asyncIterator] === "function";
}

/**
 * Joins the pieces of a file. Stops reading once the file is too large.
 *
 * @param arrived called with the number of bytes so far; the next piece is read once it resolves
 * @throws PawlError `invalid_input` for more bytes than any file may have, and for other pieces than bytes.
 */
export async function joinedBytes(
  pieces: AsyncIterable<Uint8Array>,
  arrived: (bytes: number) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array))
      throw refusedFile(`The pieces of a file must be Uint8Arrays; got ${kindOf(piece)}.`);
    length += piece.length;
    checkedLength(length);
    await arrived(length);
    read.push(piece);
  }
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const piece of read) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}

/** Returns the number of bytes. Throws if no file may have so many. */
function checkedLength(bytes: number): number {
  if (bytes > LARGEST_UPLOAD)
    throw refusedFile(`The file has ${bytes} bytes. At most ${LARGEST_UPLOAD} are allowed.`);
  return bytes;
}

function base64Length(input: unknown, whose: string): number {
  if (typeof input === "string") return Math.floor((input.length * 3) / 4);
  throw refusedFile(`${whose} must be a Uint8Array, a Blob, or a string of base64; got ${kindOf(input)}.`);
}

/** The least pace of an upload. A slower one loses the room for bytes that have not arrived. */
const PACE = { bytes: 100_000, ms: 1_000 };

interface Arriving {
  place: HeldPlace;
  /** The bytes for which the place has room at first: the size that the client announces. */
  bytes: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** Adjusts the room for a file while its bytes arrive. */
export interface ArrivingBytes {
  /** Waits until there is room for this many bytes in all. @throws PawlError `overloaded` */
  arrived(length: number): Promise<void>;
  /** Stops watching the pace. Call it once all bytes have arrived, or the upload has failed. */
  end(): void;
}

/**
 * Holds room for a file while its bytes arrive. At first, this is room for all announced bytes. After a
 * second in which less than {@link PACE} arrives, it is only room for the bytes that have arrived. So a
 * client that sends nothing takes no room from others.
 */
// Room is held in advance: otherwise many uploads could each hold a part of theirs, and none could finish.
export function arrivingBytes({ place, bytes, clock, signal }: Arriving): ArrivingBytes {
  let room = bytes;
  let arrivedBytes = 0;
  let bytesBefore = 0;
  const checkPace = () => {
    if (arrivedBytes - bytesBefore < PACE.bytes) {
      if (arrivedBytes < room) place.holds(arrivedBytes);
      room = Math.min(room, arrivedBytes);
      return;
    }
    bytesBefore = arrivedBytes;
    cancel = clock.after(PACE.ms, checkPace, { background: true });
  };
  let cancel = clock.after(PACE.ms, checkPace, { background: true });
  return {
    arrived: async (length) => {
      arrivedBytes = length;
      if (arrivedBytes <= room) return;
      // Stops watching the pace: a wait for room is not the client's fault, and the room must not change
      // meanwhile.
      cancel();
      await place.grow(arrivedBytes, signal);
      room = arrivedBytes;
    },
    end: () => cancel(),
  };
}
