import type { WorkPlace } from "@pawl/core/store";
import { addJson, type JsonPieces, newPieces } from "../session/json-pieces.ts";
import type { ReadFor } from "../session/within-read.ts";
import { heldBody } from "./held-body.ts";

/** A body of at most so many bytes is handed over at once, and keeps no place. */
const SMALL = 64 * 1024;

/**
 * Reads a session in a place, and answers with what `write` adds as JSON. The bytes of a large body count
 * until its client has them.
 */
export async function readResponse(
  { runtime, userId, sessionId, isPart = false, signal }: ReadFor,
  request: Request,
  write: (pieces: JsonPieces, place: WorkPlace) => Promise<void>,
): Promise<Response> {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const place = await runtime.enterRead({ userId, sessionId, isPart, signal });
  try {
    const json = newPieces();
    await write(json, place);
    const pieces = json.all();
    place.holds(json.bytes);
    // The response to HEAD has no body, so nobody reads it.
    if (json.bytes <= SMALL || request.method === "HEAD") {
      place.leave();
      return new Response(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).bytes(), { headers });
    }
    place.rest();
    return new Response(heldBody(eachOnce(pieces), { signal, onClose: () => place.leave() }), { headers });
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** Answers with an object that is made of a session, see {@link readResponse}. */
export async function readJsonResponse(
  asked: ReadFor,
  request: Request,
  read: () => Promise<object>,
): Promise<Response> {
  return await readResponse(asked, request, async (json) => await addJson(json, await read()));
}

/** Yields each piece, and forgets it. */
function* eachOnce(pieces: Uint8Array[]): Generator<Uint8Array, void> {
  for (const [at, piece] of pieces.entries()) {
    pieces[at] = new Uint8Array();
    yield piece;
  }
}
