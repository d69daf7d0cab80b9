import { readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";
import { findWrongNumbers } from "./lib/promised-numbers.mjs";
import { findWrongPromises, hasTitles, LEGEND } from "./lib/promises.mjs";
import { findLooseLimits, usesLimits } from "./lib/used-limits.mjs";

// Checks that each id in a test's title is in docs/promises.md, that each promise there has a test, that the
// page says openly which numbers are missed, and that tests accept the numbers that it says they do.
const read = (isWanted) =>
  new Map(
    filesOf()
      .filter(isWanted)
      .map((path) => [path, readFileSync(at(path), "utf8")]),
  );
const files = read(hasTitles);
const page = readFileSync(at(LEGEND), "utf8");
const problems = [
  ...findWrongPromises(files, page),
  ...findWrongNumbers(page),
  ...findLooseLimits(read(usesLimits)),
];
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.size} files with titles, ${problems.length} wrong promises`);
process.exitCode = problems.length > 0 ? 1 : 0;
