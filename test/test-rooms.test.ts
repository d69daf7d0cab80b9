import { expect, test } from "vitest";
import { findLooseTests } from "../scripts/lib/test-rooms.mjs";

const floors = { "packages/core/src": [["base"], ["loop/tools"], ["loop"], ["."]] };
const loose = (path: string) =>
  findLooseTests([path], floors, ["packages/core/src"]).map(({ file, message }) => `${file} ${message}`);

test.each([
  "packages/core/test/base/a.test.ts",
  "packages/core/test/loop/tools/a.test.ts",
  "packages/core/test/loop/a.test-d.ts",
  "packages/core/test/support/setup.ts",
  "packages/core/test/support/page/a.ts",
  "packages/core/src/odd/a.ts",
  "packages/sse/test/a.test.ts",
])("%s lies in a room, or where no rooms are checked", (path) => {
  expect(loose(path)).toEqual([]);
});

test.each([
  "packages/core/test/a.test.ts",
  "packages/core/test/odd/a.test.ts",
  "packages/core/test/loop/odd/a.test.ts",
  "packages/core/test/supporting/a.ts",
])("%s lies in no room", (path) => {
  expect(loose(path)).toEqual([
    `${path} lies in no room: move it to the room of what it proves, or to support/ if tests share it`,
  ]);
});
