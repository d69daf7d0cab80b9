import { fromBase64 } from "../base/base64.ts";
import { kindOf } from "../base/check-options.ts";
import { LARGEST_UPLOAD, refusedFile } from "./inspect-file.ts";

/**
 * Returns the bytes of a file in one of the forms in which it may be given. A string is base64.
 *
 * @param whose where the file was given, for errors
 * @throws PawlError `invalid_input` for another value, and for more bytes than any file may have.
 */
export async function fileBytes(
  given: unknown,
  whose = "The data of a file",
): Promise<Uint8Array<ArrayBuffer>> {
  // Checked before anything is copied or decoded.
  const bytes =
    given instanceof Uint8Array
      ? given.length
      : given instanceof Blob
        ? given.size
        : base64Length(given, whose);
  if (bytes > LARGEST_UPLOAD)
    throw refusedFile(`The file has ${bytes} bytes. At most ${LARGEST_UPLOAD} are allowed.`);
  if (given instanceof Uint8Array) return Uint8Array.from(given);
  return given instanceof Blob
    ? new Uint8Array(await given.arrayBuffer())
    : fromBase64(given as string, whose);
}

function base64Length(given: unknown, whose: string): number {
  if (typeof given === "string") return Math.floor((given.length * 3) / 4);
  throw refusedFile(`${whose} must be a Uint8Array, a Blob, or a string of base64; got ${kindOf(given)}.`);
}
