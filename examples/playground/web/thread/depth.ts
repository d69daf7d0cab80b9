/** The markers before a line's text, of quotations, list items and footnotes, each within the one before. */
const MARKERS = /^([ \t]*)((?:>[ \t]*|(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\n]{1,99}\]:)(?:[ \t]+|$))*)/;
const MARKER = />|[^ \t>]+/g;

/** What opens or closes emphasis, links and images. */
const DELIMITERS = /[*_~]+|[[\]]/g;

// Rendering takes time that grows with the square of the depth, and more than the stack has.
const MOST_CONTAINERS = 50;
const MOST_OPEN = 200;

/**
 * Whether Markdown is nested so deeply that rendering it could freeze the page. Counts too much rather than too little, in linear
 * time.
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

/** How many containers a line may be in. Two columns of indentation can be one. */
function containersOf(line: string): number {
  const [, indent = "", markers = ""] = MARKERS.exec(line) ?? [];
  if (markers === "") return 0;
  return indent.replaceAll("\t", "    ").length / 2 + (markers.match(MARKER)?.length ?? 0);
}

/** By how much a run of delimiters changes the depth. One that can do both closes. */
function openedBy(run: string, line: string, at: number, open: number): number {
  if (run === "[") return 1;
  const isClosing = run === "]" || (open > 0 && /\S/.test(line.charAt(at - 1)));
  if (isClosing) return -run.length;
  return /\S/.test(line.charAt(at + run.length)) ? run.length : 0;
}
