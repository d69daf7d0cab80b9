import { describe, expect, test } from "vitest";
import { findTwins } from "../scripts/lib/twins.mjs";

const found = (files: { [path: string]: string }) =>
  findTwins(new Map(Object.entries(files))).map(({ file, line, message }) => `${file}:${line}: ${message}`);

describe("top-level names of core", () => {
  test.each(["function part() {}", "const part = 1;", "type part = string;", "interface part {}"])(
    "are defined once: %s",
    (text) => {
      const files = {
        "packages/core/src/a.ts": "export const part = 2;",
        "packages/core/src/b.ts": `\n${text}`,
      };
      expect(found(files)).toEqual([
        'packages/core/src/b.ts:2: "part" is defined in packages/core/src/a.ts too',
      ]);
    },
  );

  test("may have overloads, and a type beside its value", () => {
    const text = "function part(): void;\nfunction part() {}\ntype Part = 1;\nconst Part = 1;";
    expect(found({ "packages/core/src/a.ts": text })).toEqual([]);
  });

  test("may be inside of functions, lists of options, and in other packages", () => {
    const text = "const OPTIONS = {};\nexport function one() { const part = 1; return part; }";
    const files = {
      "packages/core/src/a.ts": text,
      "packages/core/src/b.ts": text.replace("one", "other"),
      "packages/sse/src/a.ts": "export function one() {}",
    };
    expect(found(files)).toEqual([]);
  });
});
