import { PawlError } from "../base/errors.ts";
import { pictureSize } from "./picture-size.ts";
import { hasWordAt, pictureType } from "./picture-type.ts";

/** The type and size of a file, found by its bytes. */
export interface FileFacts {
  /**
   * `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `application/pdf`, or `text/plain` for all text.
   */
  mediaType: string;
  /** The size in bytes. */
  bytes: number;
  /** The width of a picture in pixels. */
  width?: number;
  /** The height of a picture in pixels. */
  height?: number;
  /** The pages of a PDF, estimated; absent if they could not be counted. */
  pages?: number;
}

/**
 * The largest files, in bytes. Pictures and PDFs have the limits of Claude's Messages API: 10 MB of base64
 * for a picture, 32 MB for a request. A text of 1 MB has about 250,000 tokens.
 */
export const LARGEST_FILE = { image: 7_800_000, pdf: 20_000_000, text: 1_000_000 } as const;

/** The largest file of any type, in bytes. */
export const LARGEST_UPLOAD: number = LARGEST_FILE.pdf;

/** The most pixels of one side of a picture, as in Claude's Messages API. */
const LONGEST_SIDE = 8_000;

/** The most pixels of a picture. A browser needs four bytes of memory for each. */
const MOST_PIXELS = 50_000_000;

/** The most pages of a PDF: the limit of Claude's models with the smaller context. */
export const MOST_PAGES = 100;

/**
 * Determines the type and size of a file by its bytes alone, because clients are not trusted. Does not decode
 * pictures.
 *
 * @throws PawlError `invalid_input` for a file that is empty, too large, damaged, encrypted, or of another
 * type.
 */
export async function inspectFile(content: Uint8Array<ArrayBuffer>): Promise<FileFacts> {
  const bytes = content.length;
  if (bytes === 0) throw refusedFile("The file is empty.");
  const picture = pictureType(content);
  if (picture !== undefined) {
    checkSize(bytes, LARGEST_FILE.image, "picture");
    const size = pictureSize(content, picture);
    if (size === undefined) throw refusedFile(`The picture is damaged: its header has no size (${picture}).`);
    const { width, height } = size;
    if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height > MOST_PIXELS)
      throw refusedFile(
        `The picture has ${width} × ${height} pixels. At most ${LONGEST_SIDE} a side and ${MOST_PIXELS} in all are allowed.`,
      );
    return { mediaType: picture, bytes, width, height };
  }
  if (isPdf(content)) {
    checkSize(bytes, LARGEST_FILE.pdf, "PDF");
    if (isEncrypted(content)) throw refusedFile("The PDF is encrypted. Save it without a password.");
    const pages = await pdfPages(content);
    if (pages !== undefined && pages > MOST_PAGES)
      throw refusedFile(`The PDF has about ${pages} pages. At most ${MOST_PAGES} are allowed.`);
    return { mediaType: "application/pdf", bytes, ...(pages !== undefined && { pages }) };
  }
  if (!isPlainText(content))
    throw refusedFile(
      "The file is of an unknown type. PNG, JPEG, GIF, WebP, PDF and UTF-8 text are allowed.",
    );
  checkSize(bytes, LARGEST_FILE.text, "text");
  return { mediaType: "text/plain", bytes };
}

/** Returns the error for a file that cannot be sent. */
export function refusedFile(message: string): PawlError {
  return new PawlError("invalid_input", message);
}

function checkSize(bytes: number, limit: number, kind: string): void {
  if (bytes > limit)
    throw refusedFile(`The ${kind} has ${bytes} bytes. At most ${limit} are allowed for a ${kind}.`);
}

/** Control characters that make a file binary: all except white space and escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

function isPlainText(content: Uint8Array): boolean {
  // Checks the beginning first, so that a large binary file is not decoded as a whole.
  if (BINARY.test(new TextDecoder().decode(content.subarray(0, 4_096)))) return false;
  // The caller refuses a text of this size.
  if (content.length > LARGEST_FILE.text) return true;
  try {
    return !BINARY.test(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    return false;
  }
}

/**
 * The most bytes of object streams that are unpacked to count pages, so that a small PDF cannot take much
 * time. The objects of 100 pages have a few hundred kB.
 */
const MOST_UNPACKED = 16 * 1024 * 1024;

/**
 * The least number of bytes that a stream counts. So at most 1,024 streams are read, even if all are empty.
 */
const LEAST_UNPACKED = 16 * 1024;

/** The most bytes between the name of an object stream, `/ObjStm`, and its data. */
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
 * Estimates how many pages a PDF has. Counts its page objects, also those in compressed object streams.
 * Returns `undefined` if none are found. Earlier revisions of a page count, too. An attacker can choose the
 * number, so use it only for limits and estimates.
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

/** Yields the compressed data of each object stream. */
function* objectStreams(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>, void> {
  let nameAt = Number.NEGATIVE_INFINITY;
  let start: number | undefined;
  for (const { word, at } of matchesIn(bytes, /\/ObjStm|endstream|stream\r?\n/g)) {
    if (word === "endstream") {
      if (start !== undefined) yield bytes.subarray(start, at);
      start = undefined;
      nameAt = Number.NEGATIVE_INFINITY;
    } else if (word === "/ObjStm") {
      nameAt = at;
    } else if (start === undefined && at - nameAt <= DICTIONARY) {
      start = at + word.length;
    }
  }
}

/**
 * Counts the page objects in a compressed stream. Unpacks it in pieces, until `left.bytes` is used up.
 * Ignores damaged data and bytes after its end. Reduces `left.bytes` by the unpacked bytes, at least by
 * {@link LEAST_UNPACKED}.
 */
async function pagesInStream(packed: Uint8Array<ArrayBuffer>, left: { bytes: number }): Promise<number> {
  const inflate = new DecompressionStream("deflate");
  const writer = inflate.writable.getWriter();
  void writer.write(packed).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const mostLeft = left.bytes - LEAST_UNPACKED;
  const reader = inflate.readable.getReader();
  const decoder = new TextDecoder("latin1");
  let pages = 0;
  let text = "";
  /** Counts the matches that begin before `end`. Later ones may be cut off, and stay in `text`. */
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
    // The stream is damaged: the pages before the damage count.
  }
  count(text.length);
  left.bytes = Math.min(left.bytes, mostLeft);
  return pages;
}

/** How many bytes are read as text at a time, and the length of the longest match. */
const [WINDOW, LONGEST] = [1 << 20, 128];

/** Yields the matches of a global regular expression in bytes. Reads each byte as one character. */
function* matchesIn(bytes: Uint8Array, words: RegExp): Generator<{ word: string; at: number }, void> {
  const decoder = new TextDecoder("latin1");
  for (let from = 0; from < bytes.length; from += WINDOW) {
    const text = decoder.decode(bytes.subarray(from, from + WINDOW + LONGEST));
    for (const { 0: word, index } of text.matchAll(words)) {
      // A match at or after the end of the window is found again in the next one.
      if (index < WINDOW) yield { word, at: from + index };
    }
  }
}
