import { readFileSync } from "node:fs";
import { findWideComments } from "./lib/comments.mjs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";

// Checks the width of comments, because the formatter does not wrap them. `npm run lint` runs it.
const watched =
  /^(?:packages\/[^/]+\/src|examples\/[^/]+\/(?:src|web|server)|scripts)\/.+\.(?:tsx?|mjs|mts|css)$/;
const files = filesOf().filter((path) => watched.test(path));
const problems = files.flatMap((path) => findWideComments(path, readFileSync(at(path), "utf8")));
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.length} files, ${problems.length} wide comments`);
process.exitCode = problems.length > 0 ? 1 : 0;
