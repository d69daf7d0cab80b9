import { newPacer } from "@pawl/core/store";
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
  return await parseInTurn(text + decoder.decode());
}

/** From how many characters on a body is parsed in a turn of its own. */
const LONG = 50_000;

const pace = newPacer();

/**
 * Parses the text of a body. Parses one long body in each turn of the event loop, because each may take a
 * tenth of a second.
 *
 * @throws HTTPException 400 for invalid JSON.
 */
export async function parseInTurn(text: string): Promise<unknown> {
  if (text.length > LONG) await pace();
  return parseJson(text);
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

/** How long a body may bring less than this many bytes. */
const STALL = { ms: 30_000, bytes: 16_000 };

/**
 * Yields the chunks of a body. Throws `tooLong()` if it has more than `maxBytes`. A client that stops sending
 * could keep the memory of a large body for ever, so a body that stalls is not read further.
 *
 * @throws HTTPException 408 if the body brings too little for `stallMs`.
 */
export async function* bodyOf(
  request: Request,
  maxBytes: number,
  tooLong: () => Error,
  stallMs: number = STALL.ms,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLong();
  if (request.body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  let isStalled = false;
  const awaitClient = () =>
    setTimeout(() => {
      isStalled = true;
      cancel();
    }, stallMs);
  let timer = awaitClient();
  let bytes = 0;
  let before = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isStalled) throw stalled(stallMs);
      if (done) return;
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLong();
      if (bytes - before >= STALL.bytes) {
        before = bytes;
        clearTimeout(timer);
        timer = awaitClient();
      }
      yield value;
    }
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

/** Returns a 408 that closes the connection, because the rest of the body is not read. */
function stalled(stallMs: number): HTTPException {
  const message = `The body has stopped arriving: less than ${STALL.bytes} bytes came in ${stallMs} ms. Send it again.`;
  return refusal(408, "invalid_input", message, { connection: "close" });
}

/** Returns a 413 that closes the connection, because the rest of the body is not read. */
export function tooLarge(message: string): HTTPException {
  return refusal(413, "too_large", message, { connection: "close" });
}
