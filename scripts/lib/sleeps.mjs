/** What waits for a fixed time: a promise of a timer, or Playwright's own. */
const SLEEPS = [
  /import (?:\* as \w+|\w+|\{[^}]*\bset(?:Timeout|Interval)\b[^}]*\}) from "(?:node:)?timers\/promises"/g,
  /import\("(?:node:)?timers\/promises"\)/g,
  /new Promise(?:<[^>]*>)?\(\s*(?:\([^()]*\)|\w+)\s*=>\s*\{?\s*(?:void |return )?(?:\w+\.)?setTimeout\(/g,
  /new Promise(?:<[^>]*>)?\(\s*function\b[^{]*\{\s*(?:\w+\.)?setTimeout\(/g,
  // A promise that is resolved elsewhere: `const { promise, resolve } = Promise.withResolvers()`.
  /\bsetTimeout\(\s*(?:\w+\.)?(?:resolve|done)\s*,/g,
  /\bpromisify\(\s*(?:\w+\.)?setTimeout\b/g,
  /\.waitForTimeout\(/g,
  /\bscheduler\.wait\(/g,
  /\bAtomics\.wait\(/g,
];

/** The one place that may. */
const PAUSE = "test/support/pause.ts";

/**
 * Finds fixed times that a test waits. On a busy machine they are too short, on any other one too long.
 *
 * @param {string} file
 * @param {string} text
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findSleeps(file, text) {
  if (file === PAUSE) return [];
  const found = SLEEPS.flatMap((sleep) => [...text.matchAll(sleep)]).sort((a, b) => a.index - b.index);
  // One may be part of another one.
  const outer = found.filter(
    ({ index }, at) => !found.slice(0, at).some((one) => index < one.index + one[0].length),
  );
  return outer
    .map(({ index }) => text.slice(0, index).split("\n").length)
    .map((line) => ({
      file,
      line,
      message: `a fixed time: await a condition, or say why that is impossible, \`pause(ms, "why")\` of ${PAUSE}`,
    }));
}
