/** What waits for a fixed time: a promise of a timer, or Playwright's own. */
const SLEEPS = [
  /import \{[^}]*\bsetTimeout\b[^}]*\} from "(?:node:)?timers\/promises"/g,
  /new Promise(?:<\w+>)?\(\s*\(?\w*\)?\s*=>\s*\{?\s*(?:void )?(?:globalThis\.)?setTimeout\(/g,
  /\.waitForTimeout\(/g,
  /\bscheduler\.wait\(/g,
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
  const found = SLEEPS.flatMap((sleep) => [...text.matchAll(sleep)].map(({ index }) => index));
  return found
    .map((index) => text.slice(0, index).split("\n").length)
    .sort((a, b) => a - b)
    .map((line) => ({
      file,
      line,
      message: `a fixed time: await a condition, or say why there is none, \`pause(ms, "why")\` of ${PAUSE}`,
    }));
}
