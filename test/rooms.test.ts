import { expect, test } from "vitest";
import { findWrongRooms } from "../scripts/lib/rooms.mjs";

const floors = { "packages/core/src": [["base"], ["log", "model"], ["loop/tools"], ["loop"], ["."]] };
const found = (file: string, text: string) =>
  findWrongRooms(new Map([[`packages/core/src/${file}`, text]]), floors).map(
    ({ line, message }) => `${line}: ${message}`,
  );

test.each([
  ["its own room", "log/a.ts", 'import { b } from "./b.ts";'],
  ["a lower floor", "loop/a.ts", 'import { b } from "../base/b.ts";'],
  ["a room within its room, which is lower", "loop/a.ts", 'import { b } from "./tools/b.ts";'],
  ["a package", "base/a.ts", 'import { z } from "zod";'],
  ["all rooms, from a door", "index.ts", 'export { a } from "./loop/a.ts";'],
  ["all rooms, from a door for clients", "index.ts", '"use client";\nexport { a } from "./loop/a.ts";'],
  ["styles, from a door", "index.ts", 'import "./styles/page.css";'],
])("a file may import from %s", (_, file, text) => {
  expect(found(file, text)).toEqual([]);
});

test.each([
  [
    "a higher floor",
    "log/a.ts",
    'import { b } from "../loop/b.ts";',
    '1: "../loop/b.ts" is in loop/, which is above log/',
  ],
  [
    "a type of a higher floor",
    "base/a.ts",
    '\nimport type { B } from "../log/b.ts";',
    '2: "../log/b.ts" is in log/, which is above base/',
  ],
  [
    "a room beside its own",
    "log/a.ts",
    'export { b } from "../model/b.ts";',
    '1: "../model/b.ts" is in model/, which is beside log/',
  ],
  [
    "the room around its own",
    "loop/tools/a.ts",
    'import { b } from "../b.ts";',
    '1: "../b.ts" is in loop/, which is above loop/tools/',
  ],
  [
    "a door",
    "base/a.ts",
    'import { b } from "../index.ts";',
    '1: "../index.ts" is in ./, which is above base/',
  ],
])("a file may not import from %s", (_, file, text, message) => {
  expect(found(file, text)).toEqual([message]);
});

test("a file has a room, and at the root lie only doors", () => {
  expect(found("odd/a.ts", "")).toEqual(["1: is in no room of scripts/lib/floors.mjs"]);
  expect(found("a.ts", "export const a = 1;")).toEqual([
    "1: is not a door: only files that re-export lie here",
  ]);
});

test("a package with folders has an order of rooms", () => {
  const wrong = findWrongRooms(new Map([["packages/otel/src/spans/a.ts", ""]]), floors);
  expect(wrong.map(({ message }) => message)).toEqual([
    "is in a folder, but scripts/lib/floors.mjs has no order for its package",
  ]);
  expect(findWrongRooms(new Map([["packages/otel/src/a.ts", ""]]), floors)).toEqual([]);
});
