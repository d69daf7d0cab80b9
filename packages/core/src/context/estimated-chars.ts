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
  return json.includes('"source"') ? json.length + difference(blocks) : json.length;
}

/**
 * Returns the estimated characters minus the length of the JSON text; negative for images and PDFs with many
 * bytes.
 */
function difference(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + difference(one), 0);
  if (typeof value !== "object" || value === null) return 0;
  const { type, source, content } = value as { type?: unknown; source?: unknown; content?: unknown };
  const isMedia = type === "image" || type === "document";
  if (!isMedia || typeof source !== "object" || source === null) return difference(content);
  const { type: from, data, content: parts } = source as { [field: string]: unknown };
  if (from === "stored") return charsOfFile(source as unknown as FileReference);
  const bytes = from === "base64" && typeof data === "string" ? data : undefined;
  // An image that the model fetches may be of any size.
  if (type === "image") return bytes === undefined ? IMAGE_CHARS : Math.min(0, IMAGE_CHARS - bytes.length);
  if (bytes === undefined) return difference(parts);
  const pages = pagesOf(bytes);
  return pages === 0 ? 0 : pages * PAGE_CHARS - bytes.length;
}

/** The most pixels of a side, and the pixels of a token's side. */
const [LONGEST, TOKEN_SIDE] = [2_576, 28];

/** The bytes that count as a page of a PDF whose pages could not be counted. */
const PAGE_BYTES = 50_000;

function charsOfFile({ media_type, bytes, width, height, pages }: FileReference): number {
  if (media_type === "application/pdf") return (pages ?? Math.ceil(bytes / PAGE_BYTES)) * PAGE_CHARS;
  if (width === undefined || height === undefined) return bytes;
  const scale = Math.min(1, LONGEST / Math.max(width, height));
  const tokens = Math.ceil((width * scale) / TOKEN_SIDE) * Math.ceil((height * scale) / TOKEN_SIDE);
  return Math.min(IMAGE_CHARS, 4 * tokens);
}

/** Returns the pages of a PDF; 0 if they are compressed and cannot be counted without unpacking it. */
function pagesOf(base64: string): number {
  const bytes = decoded(base64);
  // A linearized PDF has its number of pages at its beginning and compresses the others.
  const said = Number(/\/Linearized\b[^>]*?\/N\s+(\d{1,6})/.exec(bytes.slice(0, 1_024))?.[1] ?? 0);
  return Math.max(said, bytes.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0);
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
