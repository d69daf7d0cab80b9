import { PawlError } from "./errors.ts";

/**
 * How many bytes are converted by one call. More arguments could overflow the stack. A multiple of 3, so that
 * only the last piece has padding.
 */
const PIECE = 0x8000 - (0x8000 % 3);

/** Encodes bytes as base64. Uses Node's `Buffer` where it exists, because it is far faster. */
export function toBase64(bytes: Uint8Array): string {
  const { Buffer } = globalThis as { Buffer?: typeof import("node:buffer").Buffer };
  if (Buffer !== undefined)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE)));
  return text;
}

/**
 * Decodes base64 with its padding.
 *
 * @param owner names the text in the error message, e.g. `` `input[0].data` ``
 * @throws PawlError `invalid_input` for any other text, also for `base64url` and text with line breaks.
 */
export function fromBase64(text: string, owner = "The data of a file"): Uint8Array<ArrayBuffer> {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new PawlError("invalid_input", `${owner} is not valid base64${base64Hint(text)}`);
  const { Buffer } = globalThis as { Buffer?: typeof import("node:buffer").Buffer };
  if (Buffer !== undefined) return new Uint8Array(Buffer.from(text, "base64"));
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/**
 * Returns the end of the error message, which says how to fix the text. The text itself is not shown: it may
 * be private, and long.
 */
function base64Hint(text: string): string {
  if (/^data:/i.test(text)) return ": it is a `data:` URL. Pass only what follows `;base64,`.";
  return ". A path or a URL is not loaded: pass the file's bytes, or base64 with its padding and without line breaks.";
}
