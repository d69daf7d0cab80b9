/**
 * Clips a text to `limit` characters. Keeps its beginning and its end. A note between them says how many
 * characters are left out; it is never shortened, even if `limit` is smaller than the note.
 *
 * @example
 * ```ts
 * import { clipText } from "@pawl/core/tools";
 *
 * console.log(clipText("a".repeat(5_000), 100).length); // 100
 * ```
 */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const longestNote = clipNote(text.length, text.length);
  const kept = Math.max(0, limit - longestNote.length);
  const head = text.slice(0, Math.ceil(kept * HEAD_SHARE));
  const tail = text.slice(text.length - (kept - head.length));
  // The cut may split a surrogate pair, and half of a pair is invalid.
  const start = head.replace(/[\ud800-\udbff]$/, "");
  const end = tail.replace(/^[\udc00-\udfff]/, "");
  const cut = text.length - start.length - end.length;
  return `${start}${clipNote(cut, text.length)}${end}`.toWellFormed();
}

/** Returns the note that `cut` of `total` characters are left out. */
export function clipNote(cut: number, total: number): string {
  return `\n[clipped: ${cut} of ${total} chars]\n`;
}

/**
 * The share of the kept characters that comes from the beginning of the text. A tool's result begins with its
 * subject and often ends with an error.
 */
const HEAD_SHARE = 0.75;

/**
 * Cuts a text to at most `limit` characters, including the mark at the end of a text that was cut.
 *
 * @param mark stands for the rest of a text that was cut; default: `…`
 *
 * @example
 * ```ts
 * import { cutText } from "@pawl/core/tools";
 *
 * console.log(cutText("The quick brown fox", 10)); // The quick…
 * ```
 */
export function cutText(text: string, limit: number, mark = "…"): string {
  if (text.length <= limit) return text.toWellFormed();
  // Half a surrogate pair is invalid text, which APIs and databases refuse.
  const head = text.slice(0, Math.max(0, limit - mark.length)).replace(/[\ud800-\udbff]$/, "");
  return `${head}${mark}`.toWellFormed();
}
