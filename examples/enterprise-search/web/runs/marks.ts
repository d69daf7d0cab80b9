/** A piece of a text. `found`: it is one of the found words. */
export interface Piece {
  text: string;
  found: boolean;
  at: number;
}

/** Cuts a text into pieces, so that whole words of `words` are pieces of their own. Case does not matter. */
export function piecesOf(text: string, words: readonly string[]): Piece[] {
  const usable = words.filter((word) => word.trim() !== "").sort((a, b) => b.length - a.length);
  if (usable.length === 0) return text === "" ? [] : [{ text, found: false, at: 0 }];
  const any = usable.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, "giu"))) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), found: false, at: from });
    pieces.push({ text: match[0], found: true, at: match.index });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), found: false, at: from });
  return pieces;
}
