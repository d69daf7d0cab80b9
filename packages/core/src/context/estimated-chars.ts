import type { FileReference } from "../log/event-parts.ts";

/**
 * The most characters that an image counts as: 4,784 tokens of four characters, at one token for every 28 x
 * 28 pixels. Models scale larger images down to a side of 2,576 pixels (Claude's documentation on vision).
 */
const IMAGE_CHARS = 4 * 4_784;

/**
 * The characters that a page of a PDF counts as: 3,000 tokens of four characters (Claude's documentation on
 * PDFs: 1,500 to 3,000 tokens a page).
 */
const PAGE_CHARS = 4 * 3_000;

/**
 * Returns the length of blocks in characters, for the estimate of their tokens. `json` is the JSON text of
 * `blocks`. Images and PDFs count by an estimate instead of by their bytes. A document that the model fetches
 * itself counts as its address, because its length is unknown.
 */
export function estimatedChars(blocks: unknown, json: string): number {
  return json.includes('"source"') ? json.length + correction(blocks) : json.length;
}

/**
 * Returns the number to add to the length of the JSON text, so that images and PDFs count by an estimate
 * instead of by their bytes. Negative for files with many bytes.
 */
function correction(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + correction(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  const { type, source, content } = value as { type?: unknown; source?: unknown; content?: unknown };
  const isMedia = type === "image" || type === "document";
  if (!isMedia || typeof source !== "object" || source === null) return correction(content);
  const { type: sourceType, data, content: parts } = source as { [field: string]: unknown };
  if (sourceType === "stored") return charsOfFile(source as unknown as FileReference);
  const base64 = sourceType === "base64" && typeof data === "string" ? data : undefined;
  // The size of an image that the model fetches is unknown, so it counts as the largest.
  if (type === "image") return base64 === undefined ? IMAGE_CHARS : Math.min(0, IMAGE_CHARS - base64.length);
  if (base64 === undefined) return correction(parts);
  const pages = pagesOf(base64);
  return pages === 0 ? 0 : pages * PAGE_CHARS - base64.length;
}

/**
 * The longest side of an image after scaling, and the side of the square that counts as one token; in pixels.
 */
const [LONGEST, TOKEN_SIDE] = [2_576, 28];

/** If the pages of a PDF could not be counted, this many bytes count as one page. */
export const PAGE_BYTES = 50_000;

/** Returns the estimated characters of a file in the file store. A text counts by its bytes. */
function charsOfFile({ media_type, bytes, width, height, pages }: FileReference): number {
  if (media_type === "application/pdf") return (pages ?? Math.ceil(bytes / PAGE_BYTES)) * PAGE_CHARS;
  if (width === undefined || height === undefined) return bytes;
  const scale = Math.min(1, LONGEST / Math.max(width, height));
  const tokens = Math.ceil((width * scale) / TOKEN_SIDE) * Math.ceil((height * scale) / TOKEN_SIDE);
  return Math.min(IMAGE_CHARS, 4 * tokens);
}

/**
 * Counts the pages of a PDF without unpacking it. Returns 0 if no page is found, because the page objects are
 * compressed.
 */
function pagesOf(base64: string): number {
  const bytes = decoded(base64);
  // A linearized PDF declares its number of pages at its beginning, and its page objects may be compressed.
  const declared = Number(/\/Linearized\b[^>]*?\/N\s+(\d{1,6})/.exec(bytes.slice(0, 1_024))?.[1] ?? 0);
  return Math.max(declared, bytes.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0);
}

/** Decodes base64; returns an empty text if it is invalid. */
function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
