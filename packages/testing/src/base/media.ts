import { pictureSize, pictureType } from "@pawl/core/model";
import { isObject } from "./wire-request.ts";

/** How much of a file is decoded, in characters of base64: headers of pictures are at the beginning. */
const HEAD = 400_000;

/** Returns the beginning of a file in base64; `undefined` if the text is not valid base64. */
export function headOfFile(data: string): Uint8Array | undefined {
  if (data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined;
  return new Uint8Array(Buffer.from(data.slice(0, HEAD), "base64"));
}

/** The type and the size of a picture; `size` is `undefined` if its header is damaged. */
export function pictureIn(
  head: Uint8Array,
): { type: string; size: { width: number; height: number } | undefined } | undefined {
  const type = pictureType(head);
  return type && { type, size: pictureSize(head, type) };
}

/** Counts the page objects of a PDF that are not compressed. */
export function pagesInBase64(data: string): number {
  return (
    Buffer.from(data, "base64")
      .toString("latin1")
      .match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0
  );
}

/** The tokens of a picture, scaled as by Claude's models of 2026: 28 × 28 pixels a token, at most 4,784. */
function pictureTokens({ width, height }: { width: number; height: number }): number {
  const scale = Math.min(1, 2_576 / Math.max(width, height));
  return Math.min(4_784, Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28));
}

/** The tokens of a page of a PDF: its text, and a picture of it. */
const PAGE_TOKENS = 3_000;

/**
 * Returns what the files in a block count more than their JSON, in tokens; mostly negative. Files that the
 * API loads itself, and files that it refuses, count as their JSON.
 */
export function mediaTokens(block: unknown): number {
  if (!isObject(block)) return 0;
  const { type, source, content } = block;
  if (Array.isArray(content)) return content.reduce((sum: number, part) => sum + mediaTokens(part), 0);
  if (!isObject(source) || source.type !== "base64" || typeof source.data !== "string") return 0;
  const asText = source.data.length / 4;
  if (type === "document") return Math.max(1, pagesInBase64(source.data)) * PAGE_TOKENS - asText;
  const head = headOfFile(source.data);
  const size = head && pictureIn(head)?.size;
  return size === undefined ? 0 : pictureTokens(size) - asText;
}
