import { expect, test } from "vitest";
import { findWrongNumbers } from "../scripts/lib/promised-numbers.mjs";

const limits = { size: 12 };
const page = (...rows: string[]) => `
| Y1 | A page is small. |
| Y2 | It starts fast. |

## Numbers
| id | what | promised | measured | where | tests allow | state |
${rows.join("\n")}
`;
const size = (promised: string, measured: string, state: string, allowed = "12 kB, `size`") =>
  `| Y1 | a page | ${promised} | ${measured} | \`1a2b3c4d\` | ${allowed} | ${state} |`;
const start = (promised: string, measured: string, state: string) =>
  `| Y2 | a start | ${promised} | ${measured} | \`1a2b3c4d\` | | ${state} |`;

const found = (...rows: string[]) =>
  findWrongNumbers(page(...rows), limits).map(({ file, line, message }) => `${file}:${line}: ${message}`);

test.each([
  ["kept", size("12 kB", "11.9 kB", "kept")],
  ["kept to the number", size("12 kB (45 at first)", "12 kB", "kept")],
  ["missed", size("11.9 kB", "12 kB", "**missed**")],
  ["missed by what tests allow", size("11 kB", "10.5 kB", "**missed**")],
  ["kept where more is better", size("at least 10 kB", "10,000 kB, on one day", "kept")],
  ["missed where more is better", size("at least 13 kB", "14 kB", "**missed**")],
  ["without a measurement", size("11 kB", "", "not measured")],
  ["without a promise", size("", "11 kB", "reported")],
])("a number says whether it is %s", (_, row) => {
  expect(found(row)).toEqual([]);
});

test.each([
  ["a miss that is called kept", size("11 kB", "11.5 kB", "kept"), "**missed**, and not kept"],
  ["a limit that is laxer than the promise", size("11 kB", "10 kB", "kept"), "**missed**, and not kept"],
  [
    "a promise that is kept and called missed",
    size("12 kB", "11 kB", "**missed**"),
    "kept, and not **missed**",
  ],
  ["a promise without a measurement", size("12 kB", "few", "kept"), "not measured, and not kept"],
  ["a number that nobody promised", size("", "3 kB", "kept"), "reported, and not kept"],
])("%s is reported", (_, row, message) => {
  expect(found(row)).toEqual([`docs/promises.md:7: "a page" is ${message}`]);
});

test.each([
  ["another one", "11 kB, `size`", "the limit is 12"],
  ["without a name", "12 kB", "the limit is not in limits.mjs"],
  ["of no test", "12 kB, `weight`", "the limit is not in limits.mjs"],
])("a limit that is %s is reported", (_, allowed, message) => {
  const [problem] = found(size("12 kB", "11 kB", "kept", allowed));
  expect(problem).toBe(`docs/promises.md:7: "a page" says that tests allow ${allowed}, but ${message}`);
});

test("numbers of different units are not compared", () => {
  expect(found(size("12 kB", "11 MB", "kept"))).toEqual(['docs/promises.md:7: "a page" mixes units: kB, MB']);
});

test("a limit without a row is reported", () => {
  expect(found(start("5 ms", "5 ms", "kept"))).toEqual([
    "docs/promises.md:1: the limit `size` of scripts/lib/limits.mjs has no row",
  ]);
});

test("a number of a promise that does not exist is reported", () => {
  const row = size("12 kB", "11 kB", "kept");
  expect(found(row, row.replace("Y1", "Y3"))).toEqual(["docs/promises.md:8: Y3 is no promise of this page"]);
});

test("a promise does not repeat its numbers", () => {
  const text = page(size("12 kB", "11 kB", "kept")).replace("small", "of at most 12 kB");
  expect(findWrongNumbers(text, limits).map(({ message }) => message)).toEqual([
    "Y1 has its numbers in the table below, and not here",
  ]);
});
