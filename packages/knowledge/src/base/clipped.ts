import { checkNumbers, cutText } from "@pawl/core/tools";

/** Cuts a text to `limit` characters and appends a note that says how many characters are missing. */
export function clipped(text: string, limit: number): string {
  const head = cutText(text, limit, "");
  const cut = text.length - head.length;
  return cut === 0 ? head : `${head}\n[clipped: ${cut} of ${text.length} chars]`;
}

/**
 * Checks limits, which may be left out.
 *
 * @throws PawlError `config` unless each is `undefined` or a whole number from 1.
 */
export function checkLimits(whose: string, limits: { readonly [what: string]: number | undefined }): void {
  for (const [what, limit = 1] of Object.entries(limits))
    checkNumbers(whose, { [what]: limit }, { least: 1, whole: true });
}
