import { pictureSize, pictureType } from "@pawl/core/model";

/** The result of {@link checkFile}: the size of a picture, or why the file cannot be sent. */
export interface Checked {
  picture?: { width: number; height: number };
  problem?: string;
}

/** How many bytes are read. A JPEG has its size after its metadata. */
const READ = 1_000_000;

/** The largest files in bytes, as on the server. */
const LARGEST = { picture: 7_800_000, pdf: 20_000_000, text: 1_000_000 } as const;

const LONGEST_SIDE = 8_000;
const MOST_PIXELS = 50_000_000;

const READABLE = "PNG, JPEG, GIF and WebP pictures, PDFs and plain texts can be sent.";

/** Control characters that are in no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

/**
 * Checks a file by its first bytes, so that the user sees before sending why it cannot be sent. The server
 * checks it again.
 */
export async function checkFile(file: File): Promise<Checked> {
  if (file.size === 0) return { problem: "It is empty." };
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.slice(0, READ).arrayBuffer());
  } catch {
    return { problem: "It can't be read. Is it a folder?" };
  }
  const type = pictureType(bytes);
  if (type !== undefined) return checkPicture(file, pictureSize(bytes, type));
  // A file that claims to be a picture may be something else, e.g. a web page with a script.
  if (claimsPicture(file)) return { problem: `It is not a picture of a known format. ${READABLE}` };
  if (startsWithPdf(bytes)) return tooLarge(file, LARGEST.pdf, "A PDF") ?? {};
  if (BINARY.test(new TextDecoder().decode(bytes.subarray(0, 4_096)))) return { problem: READABLE };
  return tooLarge(file, LARGEST.text, "A text") ?? {};
}

function checkPicture(file: File, size: { width: number; height: number } | undefined): Checked {
  const large = tooLarge(file, LARGEST.picture, "A picture");
  if (large !== undefined) return large;
  if (size === undefined) return { problem: "It is damaged." };
  const { width, height } = size;
  if (Math.max(width, height) > LONGEST_SIDE || width * height > MOST_PIXELS)
    return { problem: `It has ${width} × ${height} pixels, which is too many. Please make it smaller.` };
  return { picture: size };
}

function tooLarge({ size }: File, most: number, what: string): Checked | undefined {
  return size > most ? { problem: `${what} may have at most ${most / 1_000_000} MB.` } : undefined;
}

function claimsPicture({ type, name }: File): boolean {
  return type.startsWith("image/") || /\.(png|jpe?g|gif|webp|svg|heic|heif|avif|bmp|tiff?)$/i.test(name);
}

function startsWithPdf(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1_024)).includes("%PDF-");
}
