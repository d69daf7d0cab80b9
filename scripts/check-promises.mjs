import { readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";
import { findWrongPromises, hasTitles, LEGEND } from "./lib/promises.mjs";

// Checks that each id in a test's title is in docs/promises.md, and that each promise there has a test.
const files = new Map(
  filesOf()
    .filter(hasTitles)
    .map((path) => [path, readFileSync(at(path), "utf8")]),
);
const problems = findWrongPromises(files, readFileSync(at(LEGEND), "utf8"));
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.size} files with titles, ${problems.length} wrong promises`);
process.exitCode = problems.length > 0 ? 1 : 0;
