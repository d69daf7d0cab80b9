import { hasWordAt } from "./byte-text.ts";

/**
 * How many bytes of object streams are unpacked to count pages, so that a small PDF cannot take much time.
 * The objects of 100 pages have a few hundred kB.
 */
const MOST_UNPACKED = 16 * 1024 * 1024;

/** The least that a stream counts, in bytes. So at most 1,024 streams are read, even if all are empty. */
const LEAST_UNPACKED = 16 * 1024;

/** How far behind its name the data of an object stream begins at most. */
const DICTIONARY = 2_048;

/** Returns whether the bytes are a PDF. A PDF that begins with other bytes does not count. */
export function isPdf(bytes: Uint8Array): boolean {
  return hasWordAt(bytes, "%PDF-", 0);
}

/** Returns whether a PDF is encrypted, e.g. because it needs a password. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return !matchesIn(bytes, /\/Encrypt\s{0,20}(?:\d{1,10}\s{1,20}\d{1,10}\s{1,20}R\b|<<)/g).next().done;
}

/**
 * Estimates how many pages a PDF has: counts its page objects, also those in compressed object streams.
 * Returns `undefined` if none are found. Earlier revisions of a page count too, and an attacker can choose
 * the number, so it is good for limits and estimates only.
 */
export async function pdfPages(bytes: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
  let pages = pageObjects(bytes);
  const left = { bytes: MOST_UNPACKED };
  for (const data of objectStreams(bytes)) {
    if (left.bytes <= 0) break;
    pages += await pagesInStream(data, left);
  }
  return pages === 0 ? undefined : pages;
}

/** Matches the type of a page object, of at most {@link LONGEST} characters. */
const PAGE_OBJECT = /\/Type\s{0,20}\/Page(?![A-Za-z])/g;

function pageObjects(bytes: Uint8Array): number {
  let found = 0;
  for (const _ of matchesIn(bytes, PAGE_OBJECT)) found += 1;
  return found;
}

/** Yields the packed data of each object stream. */
function* objectStreams(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>, void> {
  let named = Number.NEGATIVE_INFINITY;
  let start: number | undefined;
  for (const { word, at } of matchesIn(bytes, /\/ObjStm|endstream|stream\r?\n/g)) {
    if (word === "endstream") {
      if (start !== undefined) yield bytes.subarray(start, at);
      start = undefined;
      named = Number.NEGATIVE_INFINITY;
    } else if (word === "/ObjStm") {
      named = at;
    } else if (start === undefined && at - named <= DICTIONARY) {
      start = at + word.length;
    }
  }
}

/**
 * Counts the page objects in a packed stream, as far as it can be unpacked. Has one piece of it at a time.
 * What is behind its end or damaged is ignored.
 */
async function pagesInStream(packed: Uint8Array<ArrayBuffer>, left: { bytes: number }): Promise<number> {
  const inflate = new DecompressionStream("deflate");
  const writer = inflate.writable.getWriter();
  void writer.write(packed).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const until = left.bytes - LEAST_UNPACKED;
  const reader = inflate.readable.getReader();
  const decoder = new TextDecoder("latin1");
  let pages = 0;
  let text = "";
  /** Counts the matches that begin before `end`: the others may be cut off. */
  const count = (end: number) => {
    for (const { index } of text.matchAll(PAGE_OBJECT)) if (index < end) pages += 1;
    text = text.slice(Math.max(0, end));
  };
  try {
    while (left.bytes > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      left.bytes -= value.length;
      text += decoder.decode(value);
      count(text.length - LONGEST);
    }
    void reader.cancel().catch(() => undefined);
  } catch {
    // What was unpacked before counts.
  }
  count(text.length);
  left.bytes = Math.min(left.bytes, until);
  return pages;
}

/** How many bytes are read as text at a time, and the longest match. */
const [WINDOW, LONGEST] = [1 << 20, 128];

/** Yields the matches of a global expression in bytes, which are read as text with a character for each. */
function* matchesIn(bytes: Uint8Array, words: RegExp): Generator<{ word: string; at: number }, void> {
  const decoder = new TextDecoder("latin1");
  for (let from = 0; from < bytes.length; from += WINDOW) {
    const text = decoder.decode(bytes.subarray(from, from + WINDOW + LONGEST));
    for (const { 0: word, index } of text.matchAll(words)) {
      // The next window has it, too.
      if (index < WINDOW) yield { word, at: from + index };
    }
  }
}
