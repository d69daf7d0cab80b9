import { type JsonReader, jsonReader } from "../model/partial-json.ts";

// The readers of outputs in progress, by their part. A page reads the output after every delta. Each part
// passes its reader to the part that replaces it, so that no text is parsed twice. The readers are kept here
// and not in the view, which must be plain JSON.
const readers = new WeakMap<object, JsonReader>();

/** Returns a reader that has read the text of an output in progress. */
export function readerOf(part: { readonly json: string }): JsonReader {
  const existing = readers.get(part);
  if (existing !== undefined) return existing;
  const reader = jsonReader();
  reader.read(part.json);
  readers.set(part, reader);
  return reader;
}

/** Passes a part's reader, if any, to the part that replaces it. `newText` is the text that was added. */
export function passReader(from: object, to: object, newText: string): void {
  const reader = readers.get(from);
  if (reader === undefined) return;
  readers.delete(from);
  reader.read(newText);
  readers.set(to, reader);
}
