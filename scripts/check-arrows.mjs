import { readFileSync } from "node:fs";
import { findWrongArrows } from "./lib/arrows.mjs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";
import { findFarReaches } from "./lib/reach.mjs";
import { findWrongRooms } from "./lib/rooms.mjs";
import { findTooManySmall } from "./lib/small-files.mjs";
import { findLooseTests } from "./lib/test-rooms.mjs";

// Checks imports: between packages, between the rooms of a package, how far some files reach,
// and how many files of core are small.
// docs/architecture.md describes the rules.
const watched = /^(packages|examples)\/[^/]+\/(package\.json|.+\.[cm]?[jt]sx?)$|^test\/.+\.[cm]?[jt]sx?$/;
const files = new Map(
  filesOf()
    .filter((path) => watched.test(path))
    .map((path) => [path, readFileSync(at(path), "utf8")]),
);
const problems = [
  ...findWrongArrows(files),
  ...findWrongRooms(files),
  ...findLooseTests(files.keys()),
  ...findFarReaches(files),
  ...findTooManySmall(files),
];
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.size} files, ${problems.length} wrong arrows`);
process.exitCode = problems.length > 0 ? 1 : 0;
