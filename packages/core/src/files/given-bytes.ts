import { fromBase64 } from "../base/base64.ts";
import { kindOf } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import type { HeldPlace } from "../base/work-limit.ts";
import { LARGEST_UPLOAD, refusedFile } from "./inspect-file.ts";

/**
 * Returns how many bytes a file has in one of the forms in which it may be given. Copies and decodes nothing.
 * A string is base64.
 *
 * @param whose where the file was given, for errors
 * @throws PawlError `invalid_input` for another value, and for more bytes than any file may have.
 */
export function givenLength(given: unknown, whose = "The data of a file"): number {
  const bytes =
    given instanceof Uint8Array
      ? given.length
      : given instanceof Blob
        ? given.size
        : base64Length(given, whose);
  checkLength(bytes);
  return bytes;
}

/** Returns the bytes of a given file, whose length has been checked by {@link givenLength}. */
export async function fileBytes(
  given: unknown,
  whose = "The data of a file",
): Promise<Uint8Array<ArrayBuffer>> {
  if (given instanceof Uint8Array) return Uint8Array.from(given);
  return given instanceof Blob
    ? new Uint8Array(await given.arrayBuffer())
    : fromBase64(given as string, whose);
}

/** Returns whether a file is given in pieces, e.g. as the body of a request. */
export function isInPieces(given: unknown): given is AsyncIterable<Uint8Array> {
  return typeof given === "object" && typeof Object(given)[Symbol.asyncIterator] === "function";
}

/**
 * Reads a file that is given in pieces. Stops reading where it is too large.
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
    checkLength(length);
    await arrived(length);
    read.push(piece);
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of read) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function checkLength(bytes: number): void {
  if (bytes > LARGEST_UPLOAD)
    throw refusedFile(`The file has ${bytes} bytes. At most ${LARGEST_UPLOAD} are allowed.`);
}

function base64Length(given: unknown, whose: string): number {
  if (typeof given === "string") return Math.floor((given.length * 3) / 4);
  throw refusedFile(`${whose} must be a Uint8Array, a Blob, or a string of base64; got ${kindOf(given)}.`);
}

/** A body that keeps this pace keeps the room for all of it. */
const PACE = { bytes: 100_000, ms: 1_000 };

interface Arriving {
  place: HeldPlace;
  /** The bytes for which the place has room: what the client says that it sends. */
  bytes: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** The room of a file that arrives. */
export interface ArrivingBytes {
  /** Waits until there is room for this many bytes in all. @throws PawlError `overloaded` */
  arrived(length: number): Promise<void>;
  /** Stops watching: everything has arrived, or nothing more will. */
  end(): void;
}

/**
 * Holds room for a file while its bytes arrive. At first, it is room for all that the client has announced.
 * From the first second in which too little arrives, it is only room for what has arrived. So a client that
 * sends nothing takes nothing from others.
 */
// Without the room in advance, many uploads at once would each get a part of their room, and none could end.
export function arrivingBytes({ place, bytes, clock, signal }: Arriving): ArrivingBytes {
  let room = bytes;
  let now = 0;
  let before = 0;
  const look = () => {
    if (now - before < PACE.bytes) {
      if (now < room) place.holds(now);
      room = Math.min(room, now);
      return;
    }
    before = now;
    cancel = clock.after(PACE.ms, look, { background: true });
  };
  let cancel = clock.after(PACE.ms, look, { background: true });
  return {
    arrived: async (length) => {
      now = length;
      if (now <= room) return;
      // A wait is not the client's fault, and the room must not change meanwhile.
      cancel();
      await place.grow(now, signal);
      room = now;
    },
    end: () => cancel(),
  };
}
