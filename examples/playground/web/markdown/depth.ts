/**
 * Matches the markers at the start of a line: of quotations, list items and footnotes, each nested in the
 * previous one.
 */
const MARKERS = /^([ \t]*)((?:>[ \t]*|(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\n]{1,99}\]:)(?:[ \t]+|$))*)/;
const MARKER = />|[^ \t>]+/g;

/** Matches delimiters of emphasis, links and images. */
const DELIMITERS = /[*_~]+|[[\]]/g;

// Limits of nesting. Rendering time grows with the square of the depth, and deep nesting overflows the stack.
const MOST_CONTAINERS = 50;
const MOST_OPEN = 200;

/**
 * Checks whether Markdown is nested so deeply that rendering it could freeze the page. Takes linear time, and
 * may estimate the depth too high but never too low.
 */
export function isTooDeep(markdown: string): boolean {
  let open = 0;
  for (const line of markdown.split("\n")) {
    if (containersOf(line) > MOST_CONTAINERS) return true;
    // Emphasis and links end with their paragraph.
    if (line.trim() === "") open = 0;
    for (const { 0: run, index } of line.matchAll(DELIMITERS)) {
      open = Math.max(0, open + openedBy(run, line, index, open));
      if (open > MOST_OPEN) return true;
    }
  }
  return false;
}

/**
 * Returns an upper bound of the containers around a line. Two columns of indentation can be one container.
 */
function containersOf(line: string): number {
  const [, indent = "", markers = ""] = MARKERS.exec(line) ?? [];
  if (markers === "") return 0;
  return indent.replaceAll("\t", "    ").length / 2 + (markers.match(MARKER)?.length ?? 0);
}

/**
 * Returns how much a run of delimiters changes the depth. A run that can both open and close counts as
 * closing.
 */
function openedBy(run: string, line: string, at: number, open: number): number {
  if (run === "[") return 1;
  const isClosing = run === "]" || (open > 0 && /\S/.test(line.charAt(at - 1)));
  if (isClosing) return -run.length;
  return /\S/.test(line.charAt(at + run.length)) ? run.length : 0;
}
