import { checkNumbers } from "../base/check-numbers.ts";
import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { sha256 } from "../base/sha256.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import { checkBatch, jsonText } from "../log/storable.ts";
import { type BlobReference, referenceOf } from "../log/store/blob-reference.ts";
import type { EventStore } from "../log/store/event-store.ts";
import type { BlobStore } from "./blob-store.ts";
import { checkStore } from "./check-store.ts";
import { jsonIfLarger, utf8Length } from "./json-size.ts";
import { withEvents } from "./open-session.ts";
import { wrapStore } from "./wrap-store.ts";

/** Options of `withBlobs()`. */
export interface BlobOptions {
  /** The size above which a payload becomes a blob: bytes of its JSON in UTF-8. Default: 256,000. */
  aboveBytes?: number;
}

const OPTIONS: OptionKinds<BlobOptions> = { aboveBytes: "number" };

/**
 * Wraps a store so that large payloads are kept in `blobs`. The log stores a reference instead,
 * `{ "$blob": <sha256>, "bytes": <length> }`; callers see whole payloads. The events' types, keys, `seq`
 * and times stay in the log.
 *
 * `runtime({ blobs })` calls this function for you. Call it yourself for another size, or to read the log
 * without a runtime.
 *
 * A blob is written before the event that refers to it. A crash or a refused append may leave a blob that no
 * event refers to, but never an event without its payload. If a blob is missing or damaged, reading its event
 * rejects with `store_unavailable` and `{ sessionId, seq, blob }` in `details`.
 *
 * **Deleting.** If you delete a session, delete its blobs too. To erase a redacted event, first overwrite its
 * `data`, then delete the blob, unless another event of the session refers to it. Delete unreferenced blobs
 * only while no append to the session can be in progress.
 *
 * @throws PawlError `config` for a store or blobs that are not valid, and for unknown options.
 *
 * @example
 * ```ts
 * import { memoryBlobs, memoryStore, withBlobs } from "@pawl/core";
 *
 * const log = memoryStore();
 * const store = withBlobs(log, memoryBlobs(), { aboveBytes: 100 });
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * await store.append("s1", [{ type: "note", data: { text: "long ".repeat(100) } }], { appendId: "a1" });
 * for await (const event of log.read("s1")) console.log(event.data); // { $blob: "…", bytes: 511 }
 * for await (const event of store.read("s1")) console.log(event.data); // { text: "long long …" }
 * ```
 */
export function withBlobs(store: EventStore, blobs: BlobStore, options: BlobOptions = {}): EventStore {
  checkStore("The store of withBlobs()", store);
  if (typeof Object(blobs).put !== "function")
    throw new PawlError(
      "config",
      `The second argument of withBlobs() must be a BlobStore, e.g. memoryBlobs(); got ${kindOf(blobs)}.`,
    );
  checkOptions("withBlobs()", options, OPTIONS);
  const { aboveBytes = 256_000 } = options;
  checkNumbers("withBlobs()", { aboveBytes });
  const wrapped = wrapStore(store);
  const { open, appendWith } = wrapped;
  return {
    ...wrapped,
    // Snapshots are neither saved nor read: they would have the whole payloads that belong in `blobs`.
    saveSnapshot: undefined,
    ...(open && {
      open: async ({ snapshot: _, ...session }) => {
        const opened = await open(session);
        if (opened === undefined || !opened.events.some(isSlim)) return opened;
        return await withEvents(store, opened, () =>
          Promise.all(opened.events.map((event) => whole(event, blobs))),
        );
      },
    }),
    append: appendSlim(store.append.bind(store), blobs, aboveBytes),
    ...(appendWith && {
      appendWith: async (sessionId, events, options, also) => {
        const append: EventStore["append"] = (...args) => appendWith(...args, also);
        return await appendSlim(append, blobs, aboveBytes)(sessionId, events, options);
      },
    }),
    read: async function* (sessionId, options) {
      for await (const event of store.read(sessionId, options)) {
        yield isSlim(event) ? await whole(event, blobs) : event;
      }
    },
  };
}

/** Returns an `append` that first writes large payloads to `blobs`, and then appends references to them. */
function appendSlim(
  append: EventStore["append"],
  blobs: BlobStore,
  aboveBytes: number,
): EventStore["append"] {
  return async (sessionId, events, options) => {
    // Serialized before the first `await`, so that later changes by the caller are not stored.
    const texts = events.map(({ data }) => blobText(data, aboveBytes));
    const written = new Map<string, string>();
    let slim = events;
    if (texts.some((text) => text !== undefined)) {
      checkBatch(events, options.appendId);
      slim = await slimmed(events, texts, written);
      const puts = Array.from(written, ([id, text]) => blobStoreCall(() => blobs.put(sessionId, id, text)));
      await Promise.all(puts);
    }
    try {
      const rows = await append(sessionId, slim, options);
      if (!rows.some(isSlim)) return rows;
      return await Promise.all(rows.map((event) => whole(event, blobs, written)));
    } catch (error) {
      throw await withWholeEvent(error, blobs);
    }
  };
}

/**
 * Returns the payload as JSON text if it must become a blob, otherwise `undefined`. It must if it is large,
 * or looks like a blob reference: so every reference in the log leads to a blob.
 */
function blobText(data: unknown, aboveBytes: number): string | undefined {
  return jsonIfLarger(data, mayLookLikeReference(data) ? -1 : aboveBytes);
}

/**
 * Returns whether a payload's JSON may look like a blob reference. Also true for every payload with `toJSON`.
 */
function mayLookLikeReference(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  return "$blob" in data || typeof (data as { toJSON?: unknown }).toJSON === "function";
}

/** Returns whether an event has a reference instead of its payload. */
function isSlim(event: StoredEvent): boolean {
  return referenceOf(event.data) !== undefined;
}

/**
 * Returns a copy of the batch with references instead of the payloads that have a text. Adds these texts to
 * `written`, by hash. Copies before the first `await`, so that later changes by the caller have no effect.
 */
async function slimmed(
  events: readonly NewEvent[],
  texts: readonly (string | undefined)[],
  written: Map<string, string>,
): Promise<NewEvent[]> {
  const slim = events.map(async (event, index) => {
    const text = texts[index];
    if (text === undefined) return { ...event, data: JSON.parse(jsonText(event.data)) as Json };
    const copy = { ...event };
    const data: BlobReference = { $blob: await sha256(text), bytes: utf8Length(text) };
    written.set(data.$blob, text);
    return { ...copy, data };
  });
  return (await Promise.all(slim)) as NewEvent[];
}

/**
 * Returns the event with its payload instead of a reference. A text in `written` is not fetched or verified.
 */
async function whole(
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

/** Adds the payload to the event in a `key_taken` error, if the payload is a blob. */
async function withWholeEvent(error: unknown, blobs: BlobStore): Promise<unknown> {
  if (!PawlError.is(error, "key_taken")) return error;
  const event = error.details.event as StoredEvent | undefined;
  if (event === undefined || !isSlim(event)) return error;
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
