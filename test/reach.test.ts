import { expect, test } from "vitest";
import { findFarReaches, linesOf, reachOf } from "../scripts/lib/reach.mjs";

const files = new Map([
  ["src/a.ts", 'import { b } from "./b.ts";\nimport type { C } from "./room/c.ts";\n'],
  ["src/b.ts", 'export const load = () => import("./room/d.ts");\n'],
  ["src/room/c.ts", 'import { a } from "../a.ts";\nimport { z } from "zod";\n'],
  ["src/room/d.ts", "// A comment.\n\n/** Another. */\nexport const d = {\n  e: 1,\n};\n"],
  ["src/far.ts", ""],
]);

test("counts what a file reaches: types and late imports too, each file once, no package", () => {
  expect(reachOf(files, "src/a.ts").toSorted()).toEqual([
    "src/a.ts",
    "src/b.ts",
    "src/room/c.ts",
    "src/room/d.ts",
  ]);
  expect(reachOf(files, "src/far.ts")).toEqual(["src/far.ts"]);
});

test("refuses a file that reaches more than it may, or is gone", () => {
  expect(findFarReaches(files, { "src/a.ts": 4 })).toEqual([]);
  expect(findFarReaches(files, { "src/a.ts": 3, "src/gone.ts": 1 })).toEqual([
    { file: "src/a.ts", line: 1, message: "reaches 4 files, 3 are allowed (scripts/lib/reach.mjs)" },
    { file: "src/gone.ts", line: 1, message: "is not there, but scripts/lib/reach.mjs has it" },
  ]);
});

test("counts lines of code without comments and blank lines", () => {
  expect(linesOf(files, ["src/room/d.ts"])).toBe(3);
});
