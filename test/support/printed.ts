import { format } from "node:util";
import { pause } from "./pause.ts";

/** A line of `console.error` or `console.warn`: a text that it contains, or a pattern. */
export type Line = string | RegExp;

interface Expected {
  line: Line;
  isRequired: boolean;
  times: number;
}

const LEVELS = ["error", "warn"] as const;
/** For a line that the code prints in the background, maybe after the test's last statement. */
const LATE_MS = 5_000;

let expected: Expected[] = [];
let unexpected: string[] = [];
let running = 0;

/**
 * Expects the running test to print each of these at least once, to its end. They stay off the terminal.
 * Anything else that it prints by `console.error` or `console.warn` fails it.
 */
export function expectPrinted(...lines: readonly Line[]): void {
  expected.push(...lines.map((line) => ({ line, isRequired: true, times: 0 })));
}

/** Like {@link expectPrinted}, for lines that a test does not always provoke: of random runs, or of races. */
export function allowPrinted(...lines: readonly Line[]): void {
  expected.push(...lines.map((line) => ({ line, isRequired: false, times: 0 })));
}

/** Watches a console from now on. A second call does nothing. */
export function watchConsole(target: Pick<Console, (typeof LEVELS)[number]> = console): void {
  for (const level of LEVELS) {
    const print = target[level];
    if ("isWatched" in print) continue;
    const watched = (...args: unknown[]): void => {
      const text = format(...args);
      const matching = expected.filter(({ line }) => matches(line, text));
      for (const one of matching) one.times += 1;
      if (matching.length > 0) return;
      unexpected.push(text);
      print.apply(target, args);
    };
    target[level] = Object.assign(watched, { isWatched: true });
  }
}

/** Forgets what was expected and what was printed. Unexpected lines are on the terminal by now. */
export function forgetPrinted(): void {
  expected = [];
  unexpected = [];
  running = 0;
}

/** Notes that a test begins, and returns its end: the last one of tests that run concurrently checks for all. */
export function beginTest(): () => Promise<void> {
  running += 1;
  return async () => {
    running -= 1;
    if (running === 0) await checkPrinted();
  };
}

/** Throws if a line was not expected, or an expected one does not come. Then forgets both. */
export async function checkPrinted(lateMs = LATE_MS): Promise<void> {
  const own = new Set(expected);
  const missing = (): Expected[] => [...own].filter(({ isRequired, times }) => isRequired && times === 0);
  for (let waited = 0; waited < lateMs && missing().length > 0; waited += 10)
    await pause(10, "the code prints in the background");
  expected = expected.filter((one) => !own.has(one));
  const printed = unexpected;
  unexpected = [];
  if (printed.length > 0)
    throw new Error(`Printed, but not expected (see test/support/printed.ts):\n${printed.join("\n")}`);
  const lines = missing().map(({ line }) => String(line));
  if (lines.length > 0) throw new Error(`Expected to be printed, but was not:\n${lines.join("\n")}`);
}

const matches = (line: Line, text: string): boolean =>
  typeof line === "string" ? text.includes(line) : line.test(text);
