import type { HTTPException } from "hono/http-exception";
import { refusal } from "./wire-error.ts";

/**
 * Reads the body of a request as JSON. Stops reading after `maxBytes`.
 *
 * @throws HTTPException 415 for another content type or a compressed body, 413 for too many bytes, 400 for
 *   invalid JSON.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  checkIsJson(request);
  const tooLong = () => tooLarge(`The body may have at most ${maxBytes} bytes.`);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bodyOf(request, maxBytes, tooLong)) {
    text += decoder.decode(chunk, { stream: true });
  }
  return parseJson(text + decoder.decode());
}

/**
 * Checks the content type of a request, and that its body has no content coding.
 *
 * @throws HTTPException 415 if the content type is not `application/json`, or for a coded body.
 */
export function checkIsJson(request: Request): void {
  checkCoding(request);
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    const message = "Send JSON with the header `content-type: application/json`.";
    throw refusal(415, "invalid_input", message, { accept: "application/json" });
  }
}

/**
 * Checks that a body has no content coding: what it inflates to has no limit.
 *
 * @throws HTTPException 415 for a compressed body
 */
export function checkCoding({ headers }: Request): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  const message = "Send the body without compression, and without the header `content-encoding`.";
  throw refusal(415, "invalid_input", message, { "accept-encoding": "identity" });
}

/**
 * Parses the text of a body.
 *
 * @throws HTTPException 400 for invalid JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(400, "invalid_input", "The body is not valid JSON.");
  }
}

/** Yields the chunks of a body. Throws `tooLong()` if it has more than `maxBytes`. */
export async function* bodyOf(
  request: Request,
  maxBytes: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLong();
  if (request.body === null) return;
  let bytes = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLong();
    yield chunk;
  }
}

/** Returns a 413 that closes the connection, because the rest of the body is not read. */
export function tooLarge(message: string): HTTPException {
  return refusal(413, "too_large", message, { connection: "close" });
}
