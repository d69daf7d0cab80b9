import { MARKS } from "./rank.ts";

/** A part of a document's text, with the places of the found words. */
export interface Fragment {
  text: string;
  /** Where the part begins and ends in the document's text, in UTF-16 code units. */
  start: number;
  end: number;
  /** Where the found words begin and end in `text`. */
  marks: readonly { start: number; end: number }[];
}

/** The length of a fragment, in characters. */
const LENGTH = 280;

/** Takes the part of a text with the most different found words. `marked` has marks around the words. */
export function fragmentOf(marked: string): Fragment {
  const { text, marks } = unmarked(marked);
  const first = bestOf(text, marks);
  const start = first === undefined ? 0 : wordStart(text, Math.max(0, first - 60));
  const end = wordEnd(text, Math.min(text.length, start + LENGTH));
  return {
    text: text.slice(start, end),
    start,
    end,
    marks: marks
      .filter((mark) => mark.start >= start && mark.end <= end)
      .map((mark) => ({ start: mark.start - start, end: mark.end - start })),
  };
}

function unmarked(marked: string) {
  let text = "";
  const marks: { start: number; end: number }[] = [];
  for (const part of marked.split(MARKS.start)) {
    const [word, rest] = part.split(MARKS.stop);
    if (rest === undefined) text += part;
    else {
      marks.push({ start: text.length, end: text.length + (word as string).length });
      text += word + rest;
    }
  }
  return { text, marks };
}

/** Returns the first mark of the window with the most different words. */
function bestOf(text: string, marks: readonly { start: number; end: number }[]): number | undefined {
  let best: { at: number; words: number } | undefined;
  for (const [index, { start }] of marks.entries()) {
    const words = new Set<string>();
    // Only the marks of the window: a document may have any number of them.
    for (let at = index; (marks[at]?.end ?? Number.POSITIVE_INFINITY) <= start + LENGTH - 60; at += 1)
      words.add(text.slice(marks[at]?.start, marks[at]?.end).toLowerCase());
    if (best === undefined || words.size > best.words) best = { at: start, words: words.size };
  }
  return best?.at;
}

/** Moves a place back, so that it cuts no word, but not far. */
function wordStart(text: string, at: number): number {
  for (let back = at; back > at - 30 && back > 0; back -= 1) if (/\s/.test(text[back - 1] ?? "")) return back;
  return whole(text, Math.max(0, at));
}

function wordEnd(text: string, at: number): number {
  for (let on = at; on < at + 30 && on < text.length; on += 1) if (/\s/.test(text[on] ?? "")) return on;
  return whole(text, Math.min(text.length, at));
}

/** Moves a place that is inside a surrogate pair before it. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at - 1 : at;
}
