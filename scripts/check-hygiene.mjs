import { readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { findUnclean } from "./lib/hygiene.mjs";
import { at } from "./lib/project.mjs";

// Checks that no file contains paths of the machine or addresses of the registry with which it was made, or
// conflicts of a merge.
const problems = filesOf().flatMap((path) => {
  const bytes = readFileSync(at(path));
  return bytes.includes(0) ? [] : findUnclean(path, bytes.toString());
});
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${problems.length} unclean lines`);
process.exitCode = problems.length > 0 ? 1 : 0;
