import { messageOf, PawlError } from "../base/errors.ts";
import { sha256 } from "../base/sha256.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import { type BlobReference, referenceOf } from "../log/store/blob-reference.ts";
import type { BlobStore } from "./blob-store.ts";
import { utf8Length } from "./json-size.ts";

/** Where the payloads of a batch go, and those that were written, by hash. */
interface Writing {
  blobs: BlobStore;
  sessionId: string;
  written: Map<string, string>;
}

/**
 * Writes the payloads that have a text as blobs. Resolves to the batch with references instead of them. Adds
 * these texts to `written`.
 */
export async function putPayloads(
  { blobs, sessionId, written }: Writing,
  events: readonly NewEvent[],
  texts: readonly (string | undefined)[],
): Promise<NewEvent[]> {
  const slim = events.map(async (event, index) => {
    const text = texts[index];
    if (text === undefined) return event;
    const data: BlobReference = { $blob: await sha256(text), bytes: utf8Length(text) };
    written.set(data.$blob, text);
    return { ...event, data };
  });
  const batch = (await Promise.all(slim)) as NewEvent[];
  const puts = Array.from(written, ([id, text]) => blobStoreCall(() => blobs.put(sessionId, id, text)));
  await Promise.all(puts);
  return batch;
}

/**
 * Returns the event with its payload instead of a reference. A text in `written` is not fetched or verified.
 */
export async function whole(
  event: StoredEvent,
  blobs: BlobStore,
  written?: ReadonlyMap<string, string>,
): Promise<StoredEvent> {
  const id = referenceOf(event.data)?.$blob;
  if (id === undefined) return event;
  const { sessionId, seq } = event;
  let text = written?.get(id);
  if (text === undefined) {
    text = await blobStoreCall(() => blobs.get(sessionId, id));
    if (text === undefined || (await sha256(text)) !== id) {
      const flaw = text === undefined ? "missing" : "damaged";
      throw new PawlError("store_unavailable", `A blob is ${flaw}: event ${seq} of session "${sessionId}".`, {
        details: { sessionId, seq, blob: id },
      });
    }
  }
  return { ...event, data: JSON.parse(text) } as StoredEvent;
}

/** Returns a `key_taken` error with the payload of its event, which is a blob. */
export async function withWholeEvent(
  error: PawlError,
  event: StoredEvent,
  blobs: BlobStore,
): Promise<PawlError> {
  const details = { ...error.details, event: await whole(event, blobs) };
  return new PawlError("key_taken", error.message, { cause: error, details });
}

/** Calls the blob store. Errors other than a PawlError become `store_unavailable`. */
async function blobStoreCall<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PawlError.is(cause)) throw cause;
    throw new PawlError("store_unavailable", `The blob store failed: ${messageOf(cause)}`, { cause });
  }
}
