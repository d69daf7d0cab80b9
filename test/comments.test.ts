import { expect, test } from "vitest";
import { findWideComments } from "../scripts/lib/comments.mjs";

const words = (columns: number) =>
  "word "
    .repeat(columns)
    .slice(0, columns - 1)
    .concat("s");
const found = (text: string) => findWideComments("a.ts", text).map(({ line }) => line);

test.each([
  ["a line", `\n// ${words(108)}`],
  ["an indented line", `\n    // ${words(104)}`],
  ["a doc comment in one line", `\n/** ${words(104)} */`],
  ["a line of a doc comment", `/**\n * ${words(108)}\n */`],
  ["a line of a block without asterisks", `/*\n${words(111)}\n*/`],
  ["a comment of a page", `\n  {/* ${words(102)} */}`],
])("%s beyond 110 columns is reported", (_, text) => {
  expect(found(text)).toEqual([2]);
});

test.each([
  ["110 columns", `// ${words(107)}`],
  ["code", `const a = "${words(120)}";`],
  ["code behind a comment", `/** Short. */\nconst a = "${words(120)}";`],
  ["code behind a block", `/*\n * Short.\n */\nconst a = "${words(120)}";`],
  ["a directive", `// biome-ignore lint/style/useConst: ${words(100)}`],
  ["what cannot be broken", `// https://example.com/${"a".repeat(100)}`],
])("%s may stay", (_, text) => {
  expect(found(text)).toEqual([]);
});
