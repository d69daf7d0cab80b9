/**
 * The longest text of a row, in UTF-16 code units: at most 1.2 MB of UTF-8. A row of a Durable Object has at
 * most 2 MB.
 */
const LONGEST = 400_000;

/** Splits a text into parts that fit into rows. A short text is one part. */
export function partsOf(text: string): [string, ...string[]] {
  const end = endOfPart(text);
  const parts: [string, ...string[]] = [text.slice(0, end)];
  let rest = text.slice(end);
  while (rest !== "") {
    const next = endOfPart(rest);
    parts.push(rest.slice(0, next));
    rest = rest.slice(next);
  }
  return parts;
}

/** Returns where a text's first part ends. Never splits a surrogate pair, whose halves cannot be stored. */
function endOfPart(text: string): number {
  if (text.length <= LONGEST) return text.length;
  const last = text.charCodeAt(LONGEST - 1);
  const isFirstHalf = last >= 0xd800 && last <= 0xdbff;
  return isFirstHalf ? LONGEST - 1 : LONGEST;
}

/** Joins the parts of a text. */
export function joined(parts: readonly unknown[]): string {
  return parts.join("");
}
