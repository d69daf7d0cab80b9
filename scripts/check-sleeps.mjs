import { readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";
import { findSleeps } from "./lib/sleeps.mjs";

// Checks that tests await conditions. What waits for a fixed time says why.
const watched = /^(?:(?:packages|examples)\/[^/]+\/)?test\/.+\.(?:tsx?|mjs)$/;
const files = filesOf().filter((path) => watched.test(path) && path !== "test/sleeps.test.ts");
const problems = files.flatMap((path) => findSleeps(path, readFileSync(at(path), "utf8")));
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.length} files, ${problems.length} fixed times without a reason`);
process.exitCode = problems.length > 0 ? 1 : 0;
