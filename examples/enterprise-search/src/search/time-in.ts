import { DAY_MS, months } from "../company/index.ts";

/** A range of time, in milliseconds since 1970. `to` is not part of it. */
export interface TimeRange {
  from: number;
  to: number;
}

/** A range that a question names, and the words that name it. */
export interface TimeInQuestion {
  range: TimeRange;
  words: readonly string[];
}

const MONTHS = months.map((month) => month.toLowerCase());

/**
 * Finds the range of time that a question names: `in March`, `July 2026`, `in Q2`, `last week`, `yesterday`.
 * A month or quarter without a year is the last one that has begun. Weeks begin on Monday; days are UTC.
 */
export function timeIn(words: readonly string[], now: number): TimeInQuestion | undefined {
  for (const [at, word] of words.entries()) {
    const [before, after] = [words[at - 1], words[at + 1]];
    const found = quarterAt(word, before, after, now) ?? monthAt(word, before, after, now);
    if (found !== undefined) return found;
    const relative = relativeAt(word, before, now);
    if (relative !== undefined) return relative;
  }
  return undefined;
}

const BEFORE = new Set(["in", "during", "since", "from", "of"]);

function monthAt(word: string, before: string | undefined, after: string | undefined, now: number) {
  const month = MONTHS.indexOf(word);
  if (month === -1) return undefined;
  // "may" and "march" also mean something else than a month.
  const isName = BEFORE.has(before ?? "") || isYear(after);
  if (!isName && (word === "may" || word === "march")) return undefined;
  return spanOf(month, 1, word, after, now);
}

function quarterAt(word: string, before: string | undefined, after: string | undefined, now: number) {
  const quarter = /^q([1-4])$/.exec(word)?.[1];
  // "What does she say about Q4?" asks about a quarter, and not for documents of that time.
  if (quarter === undefined || !(before === "in" || before === "during" || isYear(after))) return undefined;
  return spanOf((Number(quarter) - 1) * 3, 3, word, after, now);
}

function spanOf(month: number, length: number, word: string, after: string | undefined, now: number) {
  const today = new Date(now);
  const given = isYear(after) ? Number(after) : undefined;
  const year = given ?? today.getUTCFullYear() - (month > today.getUTCMonth() ? 1 : 0);
  const range = { from: Date.UTC(year, month), to: Date.UTC(year, month + length) };
  return { range, words: given === undefined ? [word] : [word, after as string] };
}

function relativeAt(word: string, before: string | undefined, now: number): TimeInQuestion | undefined {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (word === "today") return { range: { from: today, to: today + DAY_MS }, words: [word] };
  if (word === "yesterday") return { range: { from: today - DAY_MS, to: today }, words: [word] };
  if (before !== "last" && before !== "this") return undefined;
  const back = before === "last" ? 1 : 0;
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const words = [before, word];
  if (word === "week") {
    const monday = today - ((date.getUTCDay() + 6) % 7) * DAY_MS - back * 7 * DAY_MS;
    return { range: { from: monday, to: monday + 7 * DAY_MS }, words };
  }
  if (word === "month")
    return { range: { from: Date.UTC(year, month - back), to: Date.UTC(year, month + 1 - back) }, words };
  if (word === "year")
    return { range: { from: Date.UTC(year - back, 0), to: Date.UTC(year + 1 - back, 0) }, words };
  if (word !== "quarter") return undefined;
  const first = Math.floor(month / 3) * 3 - back * 3;
  return { range: { from: Date.UTC(year, first), to: Date.UTC(year, first + 3) }, words };
}

const isYear = (word: string | undefined) => word !== undefined && /^20\d\d$/.test(word);
