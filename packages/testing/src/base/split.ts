/** About how many pieces a long block is split into. A fixed number streams a script of any size quickly. */
const DELTAS = 24;

/** Splits a text into pieces, never within a surrogate pair. */
export function split(text: string, deltas: number | undefined): string[] {
  const size =
    deltas === undefined
      ? Math.max(8, Math.ceil(text.length / DELTAS))
      : Math.max(1, Math.ceil(text.length / deltas));
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from + size;
    if (isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
