import { expect, test } from "vitest";
import { findPhrases } from "../scripts/lib/phrases.mjs";

/** In two pieces, so that this file is not counted. */
const hard = (begin: string, end: string) => `${begin} ${end}`;

test("finds a phrase once in a line, in files with sentences", () => {
  const line = `${hard("If there is", "none")}, ${hard("it is left", "behind")}.`;
  const text = `# Rules\n\nA plain sentence.\n${line}\n`;
  const problem = { line: 4, message: `"${hard("is", "none")}" is hard to read` };
  expect(findPhrases("docs/rules.md", text)).toEqual([{ file: "docs/rules.md", ...problem }]);
  expect(findPhrases("packages/core/CHANGELOG.md", text)).toEqual([]);
  expect(findPhrases("docs/picture.svg", text)).toEqual([]);
});

test("words that only contain a phrase are not one", () => {
  expect(findPhrases("a.ts", `// ${hard("This is", "nonetheless")} so.`)).toEqual([]);
});
