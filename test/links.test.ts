import { expect, test } from "vitest";
import { findDeadLinks } from "../scripts/lib/links.mjs";

const pages = { "README.md": "# Pawl\n\n## The `log`, in SQL\n", "docs/b.md": "# B\n" };
const files = [...Object.keys(pages), "docs/a.md", "src", "src/a.ts"];

/** Returns the problems in `docs/a.md`. */
function found(text: string): string[] {
  const all = new Map(Object.entries({ ...pages, "docs/a.md": text }));
  return findDeadLinks(all, (path) => files.includes(path)).map(({ line, message }) => `${line}: ${message}`);
}

test.each([
  ["a page", "[b](b.md)"],
  ["a file in another folder", "[a](../src/a.ts) and [its folder](../src)"],
  ["a heading of the page itself", "# Two words\n[up](#two-words)"],
  ["a heading with code and marks", "[`log`](../README.md#the-log-in-sql)"],
  ["another site", "[x](https://example.com/nothing) [y](mailto:a@example.com)"],
  ["a file of the repository", "[x](https://github.com/pawl-js/pawl/blob/main/docs/b.md#b)"],
  ["the repository", "[x](https://github.com/pawl-js/pawl#readme)"],
])("a link to %s is fine", (_, text) => {
  expect(found(text)).toEqual([]);
});

test.each([
  ["a file that is not there", "\n[c](c.md)", '2: "c.md" leads to no file'],
  ["a heading that is not there", "[b](b.md#c)", '1: "b.md#c" leads to no heading of docs/b.md'],
  ["a file that a name stands for", "[c][d]\n\n[d]: c.md", '3: "c.md" leads to no file'],
  [
    "a file that is not in the repository",
    "[c](https://github.com/pawl-js/pawl/blob/main/docs/c.md)",
    '1: "https://github.com/pawl-js/pawl/blob/main/docs/c.md" leads to no file',
  ],
  ["a heading that the page itself lacks", "[c](#c)", '1: "#c" leads to no heading of docs/a.md'],
])("a link to %s is reported", (_, text, message) => {
  expect(found(text)).toEqual([message]);
});

test("code has no links", () => {
  expect(found("```ts\nnames[0](c.md)\n```\nand `[c](c.md)`")).toEqual([]);
});
