import { expect, test } from "vitest";
import { findWrongSizes } from "./packed/size-rules.mjs";

const LABEL = "`a` of `@pawl/a`";
const table = (numbers: string) =>
  `| imports | minified | compressed |\n|---|---|---|\n| ${LABEL} | ${numbers} |\n`;

/** The problems of a bundle of 20,000 and 10,000 bytes, by what the README says of it. */
const ofBundle = (readme: string) =>
  findWrongSizes({}, { [LABEL]: { minified: 20_000, compressed: 10_000 } }, readme);

test.each(["20 kB | 10 kB", "20.9 kB | 9.6 kB", "19.1 kB | 10.4 kB"])("%s is near enough", (numbers) => {
  expect(ofBundle(table(numbers))).toEqual([]);
});

test.each(["21.1 kB | 10 kB", "18.9 kB | 10 kB", "20 kB | 10.6 kB", "20 kB | 9.4 kB", "20 | 10", "kB | kB"])(
  "%s is reported, with the true numbers",
  (numbers) => {
    const problem = `README.md must have this row:\n| ${LABEL} | 20.0 kB | 10.0 kB |\nIt has:\n| ${LABEL} | ${numbers} |`;
    expect(ofBundle(table(numbers))).toEqual([problem]);
  },
);

test("a bundle without a row is reported", () => {
  expect(ofBundle("# Pawl\n")).toHaveLength(1);
});

test("a tarball has a limit, and stays below it", () => {
  const limits = { "@pawl/a": 10, "@pawl/b": 10 };
  expect(findWrongSizes({ "@pawl/a": 10_000, "@pawl/b": 10_001, "@pawl/c": 1 }, {}, "", limits)).toEqual([
    "the tarball of @pawl/b has 10.0 kB, 10 kB are allowed",
    "@pawl/c has no limit in test/packed/size-rules.mjs: add one",
  ]);
});
