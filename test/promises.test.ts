import { expect, test } from "vitest";
import { findWrongPromises, hasTitles } from "../scripts/lib/promises.mjs";

// The check reads this file too, so these groups differ from those of docs/promises.md.
const legend = `
## Y · Yard
| id | promise |
|---|---|
| Y1 | A run ends with a typed reason. |
| Y12 | A failure is retried. |

## Z · Zone
| Z5 | An answer is checked. |
`;
const proofs = 'it("Y1 Y12 ends", run); it("Z5 refuses", run);';

/** Returns the problems in a test file and a legend, as `file:line: message`. */
function found(text: string, page = legend): string[] {
  const problems = findWrongPromises(new Map([["test/a.test.ts", text]]), page);
  return problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test("each id in a title has a promise, and each promise a title", () => {
  expect(found(proofs)).toEqual([]);
});

test.each([
  ["the first id of a title", 'it("Y7 fails", run);', "Y7"],
  ["a later one", 'test("Y1 Y2 fails", run);', "Y2"],
  ["one of a group that does not exist", 'it("Q1 fails", run);', "Q1"],
  ["the title of a group of tests", 'describe.skipIf(slow)("Y7 fails", run);', "Y7"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a test
  ["a title with a part that varies", "it(`Z1 fails ${one}`, run);", "Z1"],
  ["a title over rows", 'it.each(rows)("Z1 %s", run);', "Z1"],
  ["a row", 'it.each([["Z1 a number", 1]])("%s", run);', "Z1"],
  ["a case of a contract", 'const checks = [{ name: "Y7 fails", run }];', "Y7"],
])("an unknown id is reported: %s", (_, text, id) => {
  expect(found(`${proofs}\n${text}`)).toEqual([
    `test/a.test.ts:2: ${id} is not in docs/promises.md; add its promise there, or use an id from there`,
  ]);
});

test.each([
  ["no id", 'it("E2E tests run", run); it("Y7-like", run); it("Y123 holds", run);'],
  ["words inside of a title", 'it("prints A4, H1 and Y7", run);'],
  ["data with a letter that is no group's", 'send("A4 paper"); const path = "M4 7h16";'],
  ["a comment", "// Y7 is elsewhere"],
])("%s is no id", (_, text) => {
  expect(found(`${proofs}\n${text}`)).toEqual([]);
});

test("a promise that no title proves is reported", () => {
  expect(found('it("Y1 ends", run); it("Z5 refuses", run);')).toEqual([
    "docs/promises.md:6: Y12 is in no test's title",
  ]);
});

test.each([
  ["an id twice", "| Z5 | Again. |", "Z5 is there twice"],
  ["an id without a promise", "| Z6 | |", "Z6 promises nothing"],
  ["an id of another group", "| Y2 | Continues. |", "Y2 is not below the heading of Y"],
  ["a heading twice", "## Y · Again", "Y has a heading already"],
])("the legend may not have %s", (_, row, message) => {
  const text = `${proofs} it("Z6 closes", run); it("Y2 continues", run);`;
  const problems = found(text, `${legend}${row}\n`).filter((one) => one.startsWith("docs/"));
  expect(problems).toEqual([`docs/promises.md:10: ${message}`]);
});

test("tests, what they share, and contracts have titles", () => {
  const paths = [
    "packages/core/test/a.test.ts",
    "packages/core/test/a.test-d.ts",
    "test/support/suite.ts",
    "packages/testing/src/contract/a.ts",
  ];
  expect(paths.filter(hasTitles)).toEqual(paths);
  expect(["packages/testing/src/rules.ts", "packages/core/src/contract.ts"].filter(hasTitles)).toEqual([]);
});
