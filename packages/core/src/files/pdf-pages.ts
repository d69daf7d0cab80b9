import { bytesAsText, hasWordAt } from "./byte-text.ts";

/** The most bytes that are unpacked to count pages, so that a small PDF cannot take all memory. */
const MOST_UNPACKED = 32 * 1024 * 1024;

/** How far behind its name the data of an object stream begins at most. */
const DICTIONARY = 2_048;

/** Returns whether the bytes are a PDF. A PDF that begins with other bytes does not count. */
export function isPdf(bytes: Uint8Array): boolean {
  return hasWordAt(bytes, "%PDF-", 0);
}

/** Returns whether a PDF is encrypted, e.g. because it needs a password. */
export function isEncrypted(bytes: Uint8Array): boolean {
  for (const at of places(bytes, "/Encrypt")) {
    const after = bytesAsText(bytes, at + 8, at + 40);
    if (/^\s*(\d+\s+\d+\s+R\b|<<)/.test(after)) return true;
  }
  return false;
}

/**
 * Estimates how many pages a PDF has: counts its page objects, also those in compressed object streams.
 * Returns `undefined` if none are found. Earlier revisions of a page count too, and an attacker can choose
 * the number, so it is good for limits and estimates only.
 */
export async function pdfPages(bytes: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
  let pages = pageObjects(bytes);
  const left = { bytes: MOST_UNPACKED };
  for (let at = find(bytes, "/ObjStm", 0); at !== -1 && left.bytes > 0; ) {
    const start = find(bytes.subarray(0, at + DICTIONARY), "stream", at);
    if (start === -1) {
      at = find(bytes, "/ObjStm", at + 1);
      continue;
    }
    const end = find(bytes, "endstream", start);
    if (end === -1) break;
    const lineEnd = bytes[start + 6] === 0x0d ? 2 : 1;
    pages += pageObjects(await unpacked(bytes.subarray(start + 6 + lineEnd, end), left));
    at = find(bytes, "/ObjStm", end);
  }
  return pages === 0 ? undefined : pages;
}

function pageObjects(bytes: Uint8Array): number {
  let found = 0;
  for (const at of places(bytes, "/Type")) {
    if (/^\s*\/Page(?![A-Za-z])/.test(bytesAsText(bytes, at + 5, at + 24))) found += 1;
  }
  return found;
}

/** Unpacks a stream as far as possible. What is behind its end or damaged is ignored. */
async function unpacked(packed: Uint8Array<ArrayBuffer>, left: { bytes: number }): Promise<Uint8Array> {
  const inflate = new DecompressionStream("deflate");
  const writer = inflate.writable.getWriter();
  void writer.write(packed).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const chunks: Uint8Array[] = [];
  const reader = inflate.readable.getReader();
  try {
    while (left.bytes > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      left.bytes -= value.length;
    }
    void reader.cancel().catch(() => undefined);
  } catch {
    // What was unpacked before counts.
  }
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function* places(bytes: Uint8Array, word: string): Generator<number, void> {
  for (let at = find(bytes, word, 0); at !== -1; at = find(bytes, word, at + 1)) yield at;
}

function find(bytes: Uint8Array, word: string, from: number): number {
  const first = word.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (hasWordAt(bytes, word, at)) return at;
  }
  return -1;
}
