import { readFileSync } from "node:fs";
import { capabilitiesOf, findLonelySwaps, isTest, PORTS } from "./lib/capabilities.mjs";
import { filesOf } from "./lib/files.mjs";
import { at } from "./lib/project.mjs";

// Checks that each capability which a test takes away from a store or a runtime has a test that runs with it.
const textOf = (path) => [path, readFileSync(at(path), "utf8")];
const capabilities = capabilitiesOf(new Map(PORTS.map(({ file }) => textOf(file))));
const files = new Map(filesOf().filter(isTest).map(textOf));
const problems = findLonelySwaps(files, capabilities);
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`${files.size} files, ${problems.length} capabilities taken away without a twin`);
process.exitCode = problems.length > 0 ? 1 : 0;
