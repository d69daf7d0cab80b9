import { expect, test } from "vitest";
import { findWrongErrorPages, INDEX, KINDS, WHY, wordsOf } from "../scripts/lib/error-pages.mjs";

const unions = ['"config" | "busy"', '"deadline" | (string & {})', '"busy"'];
const sources = new Map(
  KINDS.map(({ file, type }, at) => [file, `/** A code. */\nexport type ${type} =\n  | ${unions[at]};\n`]),
);

const section = (title: string) => `## ${title}

### What happened

It failed. [Why](../why-it-ended.md)

### Causes and remedies

- A cause: its remedy.

### What the user sees

Nothing.

### Retry

No.

### Example

\`\`\`text
It failed.
\`\`\`
`;
const right: { [path: string]: string } = {
  "docs/errors/config.md": `# \`config\`\n\n${section("Error code")}`,
  "docs/errors/busy.md": `# \`busy\`\n\n${section("Error code")}\n${section("Wire code")}`,
  "docs/errors/deadline.md": `# \`deadline\`\n\n${section("Stop type")}`,
  [INDEX]: `# Errors

## Error codes

| [\`config\`](config.md) | a |
| [\`busy\`](busy.md) | a |

## Stop types

| [\`deadline\`](deadline.md) | a |

## Wire codes

| [\`busy\`](busy.md) | a |
`,
  [WHY]: "| [`deadline`](errors/deadline.md) |",
};

/** Returns the problems after a change of one page; without a text, the page is removed. */
function found(path: string, change: (text: string) => string | undefined): string[] {
  const pages = new Map(Object.entries(right));
  const text = change(right[path] ?? "");
  if (text === undefined) pages.delete(path);
  else pages.set(path, text);
  return findWrongErrorPages(pages, sources).map(({ file, message }) => `${file}: ${message}`);
}

test("a page for each word, with all headings, is right", () => {
  expect(found(WHY, (text) => text)).toEqual([]);
});

test.each([
  ["a word without a page", "config", () => undefined, "there is no such page"],
  ["a page without a word", "other", () => "# `other`", '"other" is neither'],
  ["another title", "config", (text: string) => text.replace("`config`", "`Config`"), "must begin with"],
  [
    "no section for one of two kinds",
    "busy",
    (text: string) => text.split("## Wire")[0],
    "Error code, Wire code",
  ],
  [
    "a section of another kind",
    "config",
    (text: string) => text + section("Wire code"),
    "must have the sections",
  ],
  ["a missing heading", "config", (text: string) => text.replace("### Retry", ""), "must have the headings"],
  [
    "an empty part",
    "config",
    (text: string) => text.replace("\nNo.\n", ""),
    '"Retry" of "Error code" is empty',
  ],
  ["causes that are no list", "config", (text: string) => text.replace("- A", "A"), "must list its causes"],
  ["no example", "config", (text: string) => text.replaceAll("```", ""), "must have an example"],
  ["no link to the table", "deadline", (text: string) => text.replace("../why", ""), "must link to docs/why"],
])("reports %s", (_, word, change, message) => {
  const problems = found(`docs/errors/${word}.md`, change);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(`docs/errors/${word}.md: `);
  expect(problems[0]).toContain(message);
});

test.each([
  [
    "a word that is missing",
    (text: string) => text.replace(/.*config.*\n/, ""),
    '"Error codes" must list config',
  ],
  [
    "a word that does not exist",
    (text: string) => text.replace("| [`dead", "| [`gone`](gone.md) |\n| [`dead"),
    '"Stop types" must not list gone, or not twice',
  ],
  [
    "a word twice",
    (text: string) => `${text}| [\`busy\`](busy.md) |\n`,
    '"Wire codes" must not list busy, or not twice',
  ],
])("the index may not have %s", (_, change, message) => {
  expect(found(INDEX, change)).toEqual([`${INDEX}: ${message}`]);
});

test("the index may not link a word to another page", () => {
  expect(found(INDEX, (text) => text.replace("(deadline.md)", "(busy.md)"))).toHaveLength(2);
});

test("the table of ends links to each stop type's page", () => {
  expect(found(WHY, () => "")).toEqual([`docs/errors/deadline.md: ${WHY} must link to this page`]);
});

test("the words come from the sources' types", () => {
  expect(wordsOf('type A = "a"; export type B =\n  /** One. */\n  | "b"\n  | (string & {});', "B")).toEqual([
    "b",
  ]);
  expect(() => wordsOf('type A = "a" | "b";', "B")).toThrow("There is no union B.");
});
