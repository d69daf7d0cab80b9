import { readFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { findPhrases, MOST_PHRASES } from "./lib/phrases.mjs";
import { at } from "./lib/project.mjs";

// Counts phrases that are hard to read. With too many, lists all: say the newest ones more plainly.
const found = filesOf().flatMap((path) => findPhrases(path, readFileSync(at(path), "utf8")));
const isTooMany = found.length > MOST_PHRASES;
if (isTooMany || process.argv.includes("--list"))
  for (const { file, line, message } of found) console.error(`${file}:${line}: ${message}`);
console.log(`${found.length} phrases that are hard to read, ${MOST_PHRASES} are allowed`);
process.exitCode = isTooMany ? 1 : 0;
