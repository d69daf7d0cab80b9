import { setTimeout } from "node:timers/promises";
import { format } from "node:util";

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
}

/** Throws if a line was not expected, or an expected one does not come. Then forgets both. */
export async function checkPrinted(lateMs = LATE_MS): Promise<void> {
  const isMissing = ({ isRequired, times }: Expected) => isRequired && times === 0;
  for (let waited = 0; waited < lateMs && expected.some(isMissing); waited += 10) await setTimeout(10);
  const missing = expected.filter(isMissing).map(({ line }) => String(line));
  const printed = unexpected;
  forgetPrinted();
  if (printed.length > 0)
    throw new Error(`Printed, but not expected (see test/support/printed.ts):\n${printed.join("\n")}`);
  if (missing.length > 0) throw new Error(`Expected to be printed, but was not:\n${missing.join("\n")}`);
}

const matches = (line: Line, text: string): boolean =>
  typeof line === "string" ? text.includes(line) : line.test(text);
