import { PawlError } from "../base/errors.ts";
import { pictureSize, pictureType } from "./image-size.ts";
import { isEncrypted, isPdf, pdfPages } from "./pdf-pages.ts";

/** What a file contains, found by its bytes. */
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
 * The largest files, in bytes: the limits of Claude's Messages API (10 MB of base64 for a picture, 32 MB for
 * a request), and 1 MB of text, which is about 250,000 tokens.
 */
export const LARGEST_FILE = { image: 7_800_000, pdf: 20_000_000, text: 1_000_000 } as const;

/** The largest file of all. */
export const LARGEST_UPLOAD: number = LARGEST_FILE.pdf;

/** The most pixels of one side of a picture, as in Claude's Messages API. */
const LONGEST_SIDE = 8_000;

/** The most pixels of a picture. A browser that shows it needs four bytes for each. */
const MOST_PIXELS = 50_000_000;

/** The most pages of a PDF: the limit of Claude's models with the smaller context. */
export const MOST_PAGES = 100;

/**
 * Finds out what a file is, by its bytes alone: what a client says about it is not trusted. Pictures are not
 * decoded.
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

function checkSize(bytes: number, most: number, what: string): void {
  if (bytes > most)
    throw refusedFile(`The ${what} has ${bytes} bytes. At most ${most} are allowed for a ${what}.`);
}

/** Control characters that are not white space: files with these are not text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

function isPlainText(content: Uint8Array): boolean {
  // Reads the beginning first, so that a large file of another type is not decoded.
  if (BINARY.test(new TextDecoder().decode(content.subarray(0, 4_096)))) return false;
  if (content.length > LARGEST_FILE.text) return true;
  try {
    return !BINARY.test(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    return false;
  }
}
