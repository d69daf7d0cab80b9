import { expect, test } from "vitest";
import { findSmallFiles, findTooManySmall } from "../scripts/lib/small-files.mjs";

const core = "packages/core/src/";
const long = Array.from({ length: 15 }, (_, n) => `export const v${n} = ${n};`).join("\n");
const importing = (...paths: string[]) => `${paths.map((path) => `import "${path}";`).join("\n")}\n${long}`;

const files = new Map([
  [`${core}index.ts`, 'export { v1 } from "./a/only-door.ts";\n'],
  [`${core}a/only-door.ts`, long],
  [
    `${core}a/user.ts`,
    importing("./short.ts", "./types.ts", "./long.ts", "./late/index.ts", "../c/shared.ts"),
  ],
  [`${core}a/other.ts`, importing("./short.ts", "./types.ts")],
  [`${core}a/short.ts`, "// Comments\n// do\n// not\n// count.\nexport const a = 1;\n"],
  [`${core}a/types.ts`, "export interface Port {\n  a: string;\n}\n"],
  [`${core}a/long.ts`, long],
  [`${core}a/late/index.ts`, 'export { v2 } from "../listed.ts";\n'],
  [`${core}a/listed.ts`, long],
  [`${core}b/one.ts`, importing("../c/shared.ts")],
  [`${core}d/two.ts`, importing("../c/shared.ts")],
  [`${core}e/three.ts`, importing("../c/shared.ts")],
  [`${core}c/shared.ts`, "export const shared = 1;\n"],
  ["packages/sse/src/short.ts", "export const elsewhere = 1;\n"],
]);

test("a short file has less than 15 lines of code, and is no door, no type and not shared by four rooms", () => {
  expect(findSmallFiles(files).short).toEqual([`${core}a/short.ts`]);
});

test("a file counts as one's own if a single file imports it that is no door and no list", () => {
  expect(findSmallFiles(files).single).toEqual([`${core}a/long.ts`]);
});

test("names all of them once there are too many", () => {
  expect(findTooManySmall(files, { short: 1, single: 1 })).toEqual([]);
  expect(findTooManySmall(files, { short: 0, single: 0 }).map(({ message }) => message)).toEqual([
    "one of 1 files with less than 15 lines of code, 0 are allowed: a/short.ts",
    "one of 1 files that one other file imports, 0 are allowed: a/long.ts",
  ]);
});
