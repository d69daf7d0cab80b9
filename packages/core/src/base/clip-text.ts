/**
 * Clips a text to `limit` characters. Keeps its beginning and its end, with a note between them of how much
 * is left out.
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
  const room = Math.max(0, limit - clipNote(text.length, text.length).length);
  const head = text.slice(0, Math.ceil(room * HEAD));
  const tail = text.slice(text.length - (room - head.length));
  // The cut may split a surrogate pair, and half of a pair is invalid.
  const whole = [head.replace(/[\ud800-\udbff]$/, ""), tail.replace(/^[\udc00-\udfff]/, "")] as const;
  const cut = text.length - whole[0].length - whole[1].length;
  return `${whole[0]}${clipNote(cut, text.length)}${whole[1]}`.toWellFormed();
}

/** Returns the note of how many characters are left out. */
export function clipNote(cut: number, of: number): string {
  return `\n[clipped: ${cut} of ${of} chars]\n`;
}

/**
 * The share of the limit that goes to the beginning. Results begin with their subject and often end with an
 * error.
 */
const HEAD = 0.75;

/**
 * Cuts a text to `limit` characters, of which `more` is the end.
 *
 * @param more stands for the rest of a text that was cut; default: `…`
 *
 * @example
 * ```ts
 * import { cutText } from "@pawl/core/tools";
 *
 * console.log(cutText("The quick brown fox", 10)); // The quick…
 * ```
 */
export function cutText(text: string, limit: number, more = "…"): string {
  if (text.length <= limit) return text.toWellFormed();
  // Half a surrogate pair is invalid text, which APIs and databases refuse.
  const head = text.slice(0, Math.max(0, limit - more.length)).replace(/[\ud800-\udbff]$/, "");
  return `${head}${more}`.toWellFormed();
}
