import { expect, it, vi } from "vitest";
import { fragmentOf } from "../src/search/fragment.ts";
import { MARKS } from "../src/search/rank.ts";

const found = (word: string) => `${MARKS.start}${word}${MARKS.stop}`;

it("X3 takes the part with the most different words that were found", () => {
  const far = "x ".repeat(300);
  const { text, marks } = fragmentOf(`${found("plan")} ${far}${found("plan")} for ${found("Q4")}. ${far}`);
  expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(["plan", "Q4"]);
});

it("X3 B7 looks at no list of all words again for each word that was found", () => {
  const marked = `${found("plan")} `.repeat(5_000);
  const filter = vi.spyOn(Array.prototype, "filter");
  const { text } = fragmentOf(marked);
  const calls = filter.mock.calls.length;
  vi.restoreAllMocks();
  expect(text).toMatch(/^plan plan/);
  expect(calls).toBeLessThan(10);
});
