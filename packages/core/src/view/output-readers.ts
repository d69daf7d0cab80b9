import { type JsonReader, jsonReader } from "../model/partial-json.ts";

// A page reads the output after every delta. Each part passes its reader to the part that replaces it, so
// that no text is parsed twice. The readers are kept here and not in the view, which must be plain JSON.
const readers = new WeakMap<object, JsonReader>();

/** Returns a reader that has read the text of an output in progress. */
export function readerOf(part: { readonly json: string }): JsonReader {
  const known = readers.get(part);
  if (known !== undefined) return known;
  const reader = jsonReader();
  reader.read(part.json);
  readers.set(part, reader);
  return reader;
}

/** Passes a part's reader, if any, to the part that replaces it. `news` is the text that was added. */
export function passReader(from: object, to: object, news: string): void {
  const reader = readers.get(from);
  if (reader === undefined) return;
  readers.delete(from);
  reader.read(news);
  readers.set(to, reader);
}
